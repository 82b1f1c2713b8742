"""Edges from a reference in one document and a definition of the same key in another."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.model.edge import INVERSES, RELATIONS, Edge, EdgeEvidence, Relationship
from docgraph.model.link import (
    ReferenceMatch,
    distance,
    edges_of,
    inverse_edges_of,
    merge_edges,
)

EDGE = Edge("r:a", "references", "r:b")
MATCH = ReferenceMatch(
    source="r:x/a.md#s",
    relation="references",
    path="x/a.md",
    line=3,
    start=10,
    end=14,
    text="here",
    miner="links",
    rank=5,
    distance_weight=0,
    inner="",
    strict=0,
    target="r:y/b.md",
    target_path="y/b.md",
    target_rank=7,
    inner_exists=1,
)


def edges(*matches: ReferenceMatch) -> list[Edge]:
    return [relationship.edge for relationship in edges_of(matches)]


def evidence(line: int) -> EdgeEvidence:
    return EdgeEvidence("a", line, line, line + 1, 0, "b")


def test_a_reference_makes_an_edge_to_the_definition_of_its_key() -> None:
    (relationship,) = edges_of([MATCH])
    assert relationship.edge == Edge("r:x/a.md#s", "references", "r:y/b.md")
    assert relationship.origins == ("links",)
    assert relationship.evidence == (EdgeEvidence("x/a.md", 3, 10, 14, 12, "here"),)


def test_an_edges_rank_is_the_sum_of_both_ranks_and_the_weighted_distance() -> None:
    for distance_weight, rank in ((0, 12), (1, 14), (10, 32)):
        (relationship,) = edges_of([MATCH._replace(distance_weight=distance_weight)])
        assert relationship.evidence[0].rank == rank


def test_a_reference_means_something_inside_the_target_if_it_exists() -> None:
    inner = MATCH._replace(inner="#part")
    assert edges(inner)[0].target == "r:y/b.md#part"
    assert edges(inner._replace(strict=1))[0].target == "r:y/b.md#part"


def test_otherwise_it_means_the_target_or_nothing_if_strict() -> None:
    missing = MATCH._replace(inner="#gone", inner_exists=0)
    assert edges(missing)[0].target == "r:y/b.md"
    assert edges(missing._replace(strict=1)) == []


def test_a_document_does_not_refer_to_itself_but_code_calls_its_own_functions() -> None:
    own = MATCH._replace(source="r:a.py::f", relation="calls", target="r:a.py", inner="::g")
    assert edges(own)[0].target == "r:a.py::g"
    assert edges(own._replace(inner="::f")) == []
    page = MATCH._replace(source="r:a.md", target="r:a.md", inner="#part")
    assert edges(page) == []
    assert edges(page._replace(inner="")) == []


@pytest.mark.requirement(5)
@pytest.mark.parametrize("relation", sorted(INVERSES))
def test_a_lifecycle_relation_has_an_inverse_edge(relation: str) -> None:
    match = MATCH._replace(relation=relation)
    (there,), (back,) = edges_of([match]), inverse_edges_of([match])
    assert back.edge == Edge(there.edge.target, INVERSES[relation], there.edge.source)
    assert back.origins == there.origins


@pytest.mark.requirement(5)
def test_an_inverse_has_the_same_evidence_without_characters() -> None:
    (back,) = inverse_edges_of([MATCH._replace(relation="supersedes", distance_weight=3)])
    assert back.evidence == (EdgeEvidence("x/a.md", 3, 0, 0, 0, "here"),)


@pytest.mark.parametrize("relation", sorted(set(RELATIONS) - set(INVERSES)))
def test_other_relations_have_one_direction(relation: str) -> None:
    assert list(inverse_edges_of([MATCH._replace(relation=relation)])) == []


def test_a_reference_without_an_edge_has_no_inverse() -> None:
    missing = MATCH._replace(relation="supersedes", inner="#gone", strict=1, inner_exists=0)
    assert list(inverse_edges_of([missing])) == []
    assert list(inverse_edges_of([MATCH._replace(relation="supersedes", target="r:x/a.md")])) == []


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
