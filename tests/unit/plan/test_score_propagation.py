"""Neighbours are taken some way up to the seeds that name them, and contest places with seeds."""

import math
from dataclasses import replace
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.action import contract_of
from docgraph.model.edge import Relationship
from docgraph.model.plan import RetrievalPlan
from docgraph.model.seeds import CandidateScores, Seed, Seeds
from docgraph.plan.admission import (
    REFERENCE_WEIGHT,
    SHARED_NAME_WEIGHT,
    damped_score,
    document_scores,
    relation_weighted_score,
)
from docgraph.plan.expand_relationships import Admit, expand_relationships
from tests.support.memory_world import World, world
from tests.support.sample_documents import (
    EAST,
    ChunkSpec,
    Meaning,
    ask,
    document,
    edge,
    roots,
    seeds,
    towards,
    with_scores,
)
from tests.unit.plan.test_expand_relationships import PLACE, many_edges, many_seeds

ADMITS = get_args(Admit)
PROPAGATING = ("propagated", "competitive", "relation_weighted")
near = st.floats(-1, 1)


def expand(store: World, found: Seeds, **options: Any) -> RetrievalPlan:
    inputs = (ask("why?"), found, store.graph, store.search)
    plan = contract_of(expand_relationships).call(inputs, options)
    assert isinstance(plan, RetrievalPlan)
    return plan


def shore(edges: list[Relationship], **meanings: Meaning) -> World:
    """Documents a to j and a question due north; other documents point elsewhere."""
    document_i = [document(f"r:{n}", meaning=meanings.get(n, EAST)) for n in "abcdefghij"]
    return world(*document_i, edges=edges)


@given(near, near, st.integers(1, 400))
def test_a_neighbours_score_rises_half_the_distance_at_most(
    own: float, seed: float, many: int
) -> None:
    raised = damped_score(own, seed, "references", many)
    if seed > own:
        assert own <= raised <= own + (seed - own) / 2 + 1e-12
    assert damped_score(own, seed, "references", 1) == damped_score(own, seed, "shares_entity", 4)


def test_a_seed_with_many_edges_raises_each_neighbour_less() -> None:
    assert damped_score(0.0, 1.0, "references", 4) == 0.5
    assert damped_score(0.0, 1.0, "references", 16) == 0.25
    assert damped_score(0.0, 1.0, "references", 100) == pytest.approx(0.1)


def test_relation_weights_apply_only_if_the_pipeline_sets_them() -> None:
    assert relation_weighted_score(0.25, 1.0, "references", 9) == 0.25 + REFERENCE_WEIGHT
    assert relation_weighted_score(0.25, 1.0, "shares_entity", 9) == 0.25 + SHARED_NAME_WEIGHT
    defaults = {option.name: option.default for option in contract_of(expand_relationships).options}
    assert defaults["admit"] == "competitive"


@pytest.mark.requirement(25)
@pytest.mark.parametrize("admit", ADMITS)
@given(found=many_seeds)
def test_without_relations_the_order_is_that_of_the_search(admit: str, found: list[str]) -> None:
    """Also where a seed was put first for a name that it defines."""
    scored = with_scores(seeds(*found))
    plan = expand(world(*PLACE), scored, admit=admit, max_documents=500)
    assert plan.order == scored.ids
    backwards = Seeds(tuple(reversed(scored.ranked)), scored.search, candidates=scored.candidates)
    assert expand(world(*PLACE), backwards, admit=admit, max_documents=500).order == backwards.ids


@pytest.mark.requirement(22)
@pytest.mark.parametrize("admit", PROPAGATING)
@given(found=many_seeds, edges=many_edges, documents=st.integers(1, 8), places=st.integers(1, 8))
def test_a_plan_has_each_document_once_and_never_too_many(
    admit: str, found: list[str], edges: list[Relationship], documents: int, places: int
) -> None:
    scored = with_scores(seeds(*found))
    store = world(*PLACE, edges=edges)
    plan = expand(store, scored, admit=admit, max_documents=documents, max_seed_documents=places)
    expanded = tuple(expansion.document_id for expansion in plan.expanded_documents)
    assert len(plan.documents) <= documents
    assert sorted(plan.order) == sorted(plan.seed_documents + expanded)
    assert not roots(plan.seed_documents) & set(expanded)
    assert tuple(node for node in scored.ids if node in plan.seed_documents) == plan.seed_documents
    cut = roots(one.document_id for one in plan.cut)
    assert not cut & set(plan.documents)
    assert roots(scored.ids) <= cut | set(plan.documents)


@pytest.mark.requirement(22)
def test_propagated_seeds_take_only_their_reserved_places() -> None:
    store = shore([edge("r:a", f"r:{n}") for n in "ghij"])
    plan = expand(store, with_scores(seeds(*(f"r:{n}" for n in "abcdef"))), admit="propagated")
    assert plan.seed_documents == ("r:a", "r:b", "r:c")
    assert len(plan.expanded_documents) == 3


def test_with_competition_a_better_seed_keeps_its_place() -> None:
    store = shore([edge("r:j", f"r:{n}") for n in "ghi"])
    found = with_scores(seeds(*(f"r:{n}" for n in "abcdefj")), middle=0.9)
    assert expand(store, found, admit="competitive", max_seed_documents=7).expanded_documents == ()
    named = shore([edge("r:a", "r:i")])
    plan = expand(named, found, admit="competitive")
    assert plan.order[:2] == ("r:a", "r:b")
    assert [one.document_id for one in plan.expanded_documents] == []
    near_one = shore([edge("r:a", "r:i")], i=towards(0.95))
    assert expand(near_one, found, admit="competitive").order[:2] == ("r:a", "r:i")


@pytest.mark.parametrize("admit", PROPAGATING)
def test_of_edges_that_raise_a_score_alike_the_first_counts(admit: str) -> None:
    edges = [edge("r:a", "r:i", "supersedes", at=9), edge("r:a", "r:i", "references", at=1)]
    for stored in (edges, edges[::-1]):
        plan = expand(shore(stored), with_scores(seeds("r:a")), admit=admit)
        (reached,) = plan.expanded_documents
        assert (reached.document_id, reached.via) == ("r:i", "references")


@given(st.permutations([0.2, 0.9, 0.4]))
def test_a_document_has_the_best_score_of_its_parts(scores: list[float]) -> None:
    parts = (Seed(f"r:a::{part}", score, "") for part, score in zip("fgh", scores, strict=True))
    found = Seeds(tuple(parts), ())
    search = shore([]).search
    assert document_scores(found, (), ask("why?"), search)["r:a"] == 0.9
    candidates = CandidateScores((("r:a", 0.95),), 0.0)
    known = replace(found, candidates=candidates)
    assert document_scores(known, (), ask("why?"), search)["r:a"] == 0.95


def test_a_neighbour_is_measured_as_the_candidates_were() -> None:
    """By its best chunk if search scored chunks, else by its summary."""
    document_i = document(
        "r:i", ChunkSpec("far", EAST), ChunkSpec("near", towards(1.0)), meaning=EAST
    )
    others = [document(f"r:{n}", meaning=EAST) for n in "abc"]
    store = world(document_i, *others, edges=[edge("r:a", "r:i")])
    found = with_scores(seeds("r:a", "r:b", "r:c"), middle=0.0)
    assert expand(store, found, admit="competitive").order == ("r:a", "r:b", "r:i", "r:c")
    by_chunk = Seeds(
        found.ranked,
        found.search,
        candidates=type(found.candidates)(found.candidates.scores, 0.0, True),
    )
    assert expand(store, by_chunk, admit="competitive").order == ("r:a", "r:i", "r:b", "r:c")


def test_the_edge_that_lifts_most_is_the_one_that_admits() -> None:
    store = shore([edge("r:b", "r:i", at=1), edge("r:a", "r:i", "explains", at=9)])
    plan = expand(store, with_scores(seeds("r:a", "r:b")), admit="propagated")
    (expansion,) = plan.expanded_documents
    assert (expansion.via, expansion.source) == ("explains", "r:a")


def test_lifts_are_rounded_so_that_equal_ones_tie_by_id() -> None:
    store = shore([edge("r:a", "r:j"), edge("r:a", "r:i")])
    plan = expand(store, with_scores(seeds("r:a")), admit="competitive")
    assert plan.order == ("r:a", "r:i", "r:j")
    assert math.isfinite(damped_score(-1e300, 1e300, "references", 10**6))
