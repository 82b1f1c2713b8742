"""Where one document's claim and another's offer of the same key make an edge."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.model.edge import INVERSES, RELATIONS, Edge, EdgeEvidence, Relationship
from docgraph.model.link import (
    MAX_EVIDENCE,
    ReferenceMatch,
    distance,
    edges_of,
    inverse_edges_of,
    merge_edges,
)

EDGE = Edge("r:a", "references", "r:b")
MET = ReferenceMatch(
    source="r:x/a.md#s",
    relation="references",
    path="x/a.md",
    line=3,
    start=10,
    end=14,
    says="here",
    miner="links",
    rank=5,
    near=0,
    inner="",
    strict=0,
    target="r:y/b.md",
    target_path="y/b.md",
    target_rank=7,
    inner_exists=1,
)


def edges(*meetings: ReferenceMatch) -> list[Edge]:
    return [found.edge for found in edges_of(meetings)]


def place(line: int) -> EdgeEvidence:
    return EdgeEvidence("a", line, line, line + 1, 0, "b")


def test_a_claim_says_an_edge_to_whoever_offers_its_key() -> None:
    (found,) = edges_of([MET])
    assert found.edge == Edge("r:x/a.md#s", "references", "r:y/b.md")
    assert found.origins == ("links",)
    assert found.evidence == (EdgeEvidence("x/a.md", 3, 10, 14, 12, "here"),)


def test_the_edges_rank_is_the_sum_of_both_and_of_the_way_between_where_that_counts() -> None:
    for near, rank in ((0, 12), (1, 14), (10, 32)):
        (found,) = edges_of([MET._replace(near=near)])
        assert found.evidence[0].rank == rank


def test_something_inside_is_meant_where_it_is_there() -> None:
    inner = MET._replace(inner="#part")
    assert edges(inner)[0].target == "r:y/b.md#part"
    assert edges(inner._replace(strict=1))[0].target == "r:y/b.md#part"


def test_where_it_is_not_there_the_whole_is_meant_or_nobody_if_the_claim_is_strict() -> None:
    missing = MET._replace(inner="#gone", inner_exists=0)
    assert edges(missing)[0].target == "r:y/b.md"
    assert edges(missing._replace(strict=1)) == []


def test_a_document_does_not_speak_of_itself_but_code_calls_its_own_functions() -> None:
    own = MET._replace(source="r:a.py::f", relation="calls", target="r:a.py", inner="::g")
    assert edges(own)[0].target == "r:a.py::g"
    assert edges(own._replace(inner="::f")) == []
    page = MET._replace(source="r:a.md", target="r:a.md", inner="#part")
    assert edges(page) == []
    assert edges(page._replace(inner="")) == []


@pytest.mark.requirement(5)
@pytest.mark.parametrize("relation", sorted(INVERSES))
def test_a_lifecycle_relation_is_answered_by_its_inverse(relation: str) -> None:
    told = MET._replace(relation=relation)
    (there,), (back,) = edges_of([told]), inverse_edges_of([told])
    assert back.edge == Edge(there.edge.target, INVERSES[relation], there.edge.source)
    assert back.origins == there.origins


@pytest.mark.requirement(5)
def test_an_inverse_shows_the_same_place_but_claims_no_characters() -> None:
    (back,) = inverse_edges_of([MET._replace(relation="supersedes", near=3)])
    assert back.evidence == (EdgeEvidence("x/a.md", 3, 0, 0, 0, "here"),)


@pytest.mark.parametrize("relation", sorted(set(RELATIONS) - set(INVERSES)))
def test_other_relations_have_one_direction(relation: str) -> None:
    assert list(inverse_edges_of([MET._replace(relation=relation)])) == []


def test_nobody_answers_a_claim_that_means_nobody() -> None:
    missing = MET._replace(relation="supersedes", inner="#gone", strict=1, inner_exists=0)
    assert list(inverse_edges_of([missing])) == []
    assert list(inverse_edges_of([MET._replace(relation="supersedes", target="r:x/a.md")])) == []


def test_origins_and_evidence_of_an_edge_are_united() -> None:
    one = Relationship(EDGE, ("links",), (place(2), place(3)))
    two = Relationship(EDGE, ("given",), (place(1), place(2)))
    whole = Relationship(EDGE, ("given", "links"), (place(1), place(2), place(3)))
    assert merge_edges([one, two]) == merge_edges([two, one]) == (whole,)


def test_the_first_places_are_kept() -> None:
    many = Relationship(EDGE, ("links",), tuple(place(line) for line in range(99, 0, -1)))
    (found,) = merge_edges([many])
    assert [e.line for e in found.evidence] == list(range(1, MAX_EVIDENCE + 1))


relationships = st.builds(
    Relationship,
    st.builds(Edge, st.sampled_from("ab"), st.just("references"), st.sampled_from("ab")),
    st.sampled_from([("links",), ("hand",), ("hand", "links")]),
    st.lists(st.integers(1, 99).map(place), max_size=60).map(tuple),
)


@pytest.mark.requirement(4)
@pytest.mark.requirement(7)
@given(st.lists(relationships, max_size=6), st.randoms(use_true_random=False))
def test_an_edge_stands_once_whatever_the_order_of_those_who_say_it(
    found: list[Relationship], chance: random.Random
) -> None:
    whole = merge_edges(found)
    stand = [one.edge for one in whole]
    assert stand == sorted(set(stand))
    chance.shuffle(found)
    assert merge_edges(found) == whole
    assert merge_edges(whole) == whole


@pytest.mark.parametrize(
    ("one", "other", "steps"),
    [("a.py", "b.py", 0), ("a/x.py", "b.py", 1), ("a/b/x.py", "a/c/d/y.py", 3)],
)
def test_distance_counts_steps_through_folders(one: str, other: str, steps: int) -> None:
    assert distance(one, other) == distance(other, one) == steps
