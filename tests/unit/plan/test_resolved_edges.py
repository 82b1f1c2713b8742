"""Edges that planning follows are those that are listed, without their evidence."""

import pytest
from hypothesis import given

from docgraph.model.edge import INVERSES, MANUAL, Edge, Relationship
from docgraph.plan.ambiguity import resolve_ambiguity
from docgraph.plan.resolved_edges import ResolvedEdge, confirm_inverses, outgoing_edges
from tests.support.memory_world import world
from tests.support.sample_documents import Part, document, edge, evidence_at
from tests.unit.plan.test_ambiguity import many

SOURCES = ("r:s", "r:t")


@pytest.mark.requirement(7)
@given(many)
def test_planning_follows_the_edges_that_are_listed(found: tuple[Relationship, ...]) -> None:
    documents = [document(f"r:{name}", parts=(Part("#x"),)) for name in "abcdest"]
    graph = world(*documents, edges=found).graph
    listed = confirm_inverses(resolve_ambiguity(graph.edges(SOURCES)), graph)
    assert outgoing_edges(graph, SOURCES) == tuple(
        ResolvedEdge(
            one.edge,
            min((proof.start for proof in one.evidence), default=-1),
            any(proof.end > proof.start for proof in one.evidence),
        )
        for one in listed
    )
    parts = tuple(one for one in outgoing_edges(graph, SOURCES) if one.edge.source == "r:s#x")
    assert outgoing_edges(graph, ("r:s#x",)) == parts


def test_the_first_mention_is_the_first_position_of_the_evidence() -> None:
    shown = (evidence_at("b", 9), evidence_at("b", 4))
    edges = [Relationship(Edge("r:a", "mentions", "r:b"), ("m",), shown), edge("r:a", "r:c")]
    graph = world(*(document(f"r:{name}") for name in "abc"), edges=edges).graph
    assert [one.first_mention for one in outgoing_edges(graph, ("r:a",))] == [4, -1]


def test_a_position_that_loses_is_no_first_mention() -> None:
    hall = Relationship(Edge("r:a", "mentions", "r:c"), ("m",), (evidence_at("city hall", 2),))
    city = (evidence_at("city", 2), evidence_at("city", 30))
    edges = [Relationship(Edge("r:a", "mentions", "r:b"), ("m",), city), hall]
    graph = world(*(document(f"r:{name}") for name in "abc"), edges=edges).graph
    assert [one.first_mention for one in outgoing_edges(graph, ("r:a",))] == [30, 2]


@pytest.mark.requirement(5)
@pytest.mark.parametrize("relation", sorted(INVERSES))
def test_a_stated_inverse_without_its_edge_is_not_followed(relation: str) -> None:
    stated = Relationship(Edge("r:a", relation, "r:b"), (MANUAL,), ())
    graph = world(document("r:a"), document("r:b"), edges=[stated]).graph
    assert outgoing_edges(graph, ("r:a",)) == ()
