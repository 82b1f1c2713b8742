"""Edges from a reference in one document and a definition of the same key in another."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.model.edge import INVERSES, RELATIONS, Edge, EdgeEvidence, Relationship
from docgraph.model.link import (
    Definer,
    Meaning,
    ReferenceGroup,
    distance,
    edges_of,
    group_references,
    inverse_edges_of,
    merge_edges,
)

EDGE = Edge("r:a", "references", "r:b")
MEANING = Meaning("r:x/a.md#s", "references", "x/a.md", 5, 0, inner="", strict=0)
DEFINER = Definer("r:y/b.md", "y/b.md", 7)
POSITION = (3, 10, 14, "here", "links")


def group(
    meaning: Meaning = MEANING, definer: Definer = DEFINER, nodes: tuple[str, ...] = ()
) -> ReferenceGroup:
    return group_references(meaning, (definer,), nodes, (POSITION,))


def target(meaning: Meaning, definer: Definer = DEFINER, *nodes: str) -> str | None:
    """Of the edge, if there is one."""
    found = [one.edge.target for one in edges_of([group(meaning, definer, nodes)])]
    return found[0] if found else None


def evidence(line: int) -> EdgeEvidence:
    return EdgeEvidence("a", line, line, line + 1, 0, "b")


def test_a_reference_makes_an_edge_to_the_definition_of_its_key() -> None:
    (relationship,) = edges_of([group()])
    assert relationship.edge == Edge("r:x/a.md#s", "references", "r:y/b.md")
    assert relationship.origins == ("links",)
    assert relationship.evidence == (EdgeEvidence("x/a.md", 3, 10, 14, 12, "here"),)


def test_references_with_one_meaning_lead_to_every_definition() -> None:
    definers = (DEFINER, Definer("r:c.md", "c.md", 0))
    positions = (POSITION, (9, 80, 84, "Here", "titles"))
    one, other = edges_of([group_references(MEANING, definers, (), positions)])
    assert [one.edge.target, other.edge.target] == ["r:y/b.md", "r:c.md"]
    assert one.origins == other.origins == ("links", "titles")
    assert [(e.line, e.start, e.end, e.rank, e.text) for e in other.evidence] == [
        (3, 10, 14, 5, "here"),
        (9, 80, 84, 5, "Here"),
    ]


def test_an_edges_rank_is_the_sum_of_both_ranks_and_the_weighted_distance() -> None:
    for distance_weight, rank in ((0, 12), (1, 14), (10, 32)):
        (relationship,) = edges_of([group(MEANING._replace(distance_weight=distance_weight))])
        assert relationship.evidence[0].rank == rank


def test_a_reference_means_something_inside_the_target_if_it_exists() -> None:
    inner = MEANING._replace(inner="#part")
    part = "r:y/b.md#part"
    assert target(inner, DEFINER, part) == part
    assert target(inner._replace(strict=1), DEFINER, part) == part


def test_otherwise_it_means_the_target_or_nothing_if_strict() -> None:
    missing = MEANING._replace(inner="#gone")
    assert target(missing) == "r:y/b.md"
    assert target(missing._replace(strict=1)) is None


def test_a_document_does_not_refer_to_itself_but_code_calls_its_own_functions() -> None:
    own = MEANING._replace(source="r:a.py::f", relation="calls", path="a.py", inner="::g")
    code, nodes = Definer("r:a.py", "a.py", 0), ("r:a.py::f", "r:a.py::g")
    assert target(own, code, *nodes) == "r:a.py::g"
    assert target(own._replace(inner="::f"), code, *nodes) is None
    page, text = (
        MEANING._replace(source="r:a.md", path="a.md", inner="#part"),
        Definer("r:a.md", "a.md", 0),
    )
    assert target(page, text, "r:a.md#part") is None
    assert target(page._replace(inner=""), text) is None


@pytest.mark.requirement(5)
@pytest.mark.parametrize("relation", sorted(INVERSES))
def test_a_lifecycle_relation_has_an_inverse_edge(relation: str) -> None:
    found = group(MEANING._replace(relation=relation))
    (there,), (back,) = edges_of([found]), inverse_edges_of([found])
    assert back.edge == Edge(there.edge.target, INVERSES[relation], there.edge.source)
    assert back.origins == there.origins


@pytest.mark.requirement(5)
def test_an_inverse_has_the_same_evidence_without_characters() -> None:
    meaning = MEANING._replace(relation="supersedes", distance_weight=3)
    (back,) = inverse_edges_of([group(meaning)])
    assert back.evidence == (EdgeEvidence("x/a.md", 3, 0, 0, 0, "here"),)


@pytest.mark.parametrize("relation", sorted(set(RELATIONS) - set(INVERSES)))
def test_other_relations_have_one_direction(relation: str) -> None:
    assert list(inverse_edges_of([group(MEANING._replace(relation=relation))])) == []


def test_a_reference_without_an_edge_has_no_inverse() -> None:
    newer = MEANING._replace(relation="supersedes")
    assert list(inverse_edges_of([group(newer._replace(inner="#gone", strict=1))])) == []
    itself = Definer("r:x/a.md", "x/a.md", 0)
    assert list(inverse_edges_of([group(newer, itself)])) == []


def test_origins_and_evidence_of_an_edge_are_merged() -> None:
    one = Relationship(EDGE, ("links",), (evidence(2), evidence(3)))
    two = Relationship(EDGE, ("imported",), (evidence(1), evidence(2)))
    whole = Relationship(EDGE, ("imported", "links"), (evidence(1), evidence(2), evidence(3)))
    assert merge_edges([one, two]) == merge_edges([two, one]) == (whole,)


def test_all_evidence_is_kept_in_order() -> None:
    many = Relationship(EDGE, ("links",), tuple(evidence(line) for line in range(99, 0, -1)))
    (relationship,) = merge_edges([many])
    assert [e.line for e in relationship.evidence] == list(range(1, 100))


relationships = st.builds(
    Relationship,
    st.builds(Edge, st.sampled_from("ab"), st.just("references"), st.sampled_from("ab")),
    st.sampled_from([("links",), ("manual",), ("links", "manual")]),
    st.lists(st.integers(1, 99).map(evidence), max_size=60).map(tuple),
)


@pytest.mark.requirement(4)
@pytest.mark.requirement(7)
@given(st.lists(relationships, max_size=6), st.randoms(use_true_random=False))
def test_merging_does_not_depend_on_the_order(
    relationship: list[Relationship], chance: random.Random
) -> None:
    whole = merge_edges(relationship)
    stand = [one.edge for one in whole]
    assert stand == sorted(set(stand))
    chance.shuffle(relationship)
    assert merge_edges(relationship) == whole
    assert merge_edges(whole) == whole


@pytest.mark.parametrize(
    ("one", "other", "steps"),
    [("a.py", "b.py", 0), ("a/x.py", "b.py", 1), ("a/b/x.py", "a/c/d/y.py", 3)],
)
def test_distance_counts_steps_through_folders(one: str, other: str, steps: int) -> None:
    assert distance(one, other) == distance(other, one) == steps
