"""The best chunks of planned nodes, limited per document and in total."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.action import contract_of
from docgraph.execute.fetch_evidence import fetch_evidence
from docgraph.model.digest import canonical
from docgraph.model.errors import NotPlanned
from docgraph.model.evidence import ChunkScore, RetrievedContext
from docgraph.model.plan import RetrievalPlan
from docgraph.plan.expand_relationships import expand_relationships
from docgraph.plan.plan_seeds import plan_seeds
from tests.support.memory_world import World, world
from tests.support.sample_documents import (
    EAST,
    NORTH,
    ChunkSpec,
    Part,
    SampleDocument,
    ask,
    document,
    edge,
    seeds,
    towards,
)

shares = st.floats(0, 1)
documents = st.lists(st.lists(shares, max_size=5), min_size=1, max_size=5)


def plan_of(*ids: str, asked: bool = True) -> RetrievalPlan:
    return plan_seeds(ask("why?", NORTH if asked else None), seeds(*ids))


def fetch(store: World, plan: RetrievalPlan, **options: Any) -> RetrievedContext:
    evidence = contract_of(fetch_evidence).call((plan, store.texts(plan)), options)
    assert isinstance(evidence, RetrievedContext)
    return evidence


def chunk_ids(evidence: RetrievedContext) -> dict[str, list[str]]:
    return {node.concept.id: [p.id for p in node.chunks] for node in evidence.nodes}


def written(rows: list[list[float]]) -> list[SampleDocument]:
    return [
        document(f"r:{n}", *(ChunkSpec(f"chunk {n}.{i}", towards(s)) for i, s in enumerate(row)))
        for n, row in enumerate(rows)
    ]


BOOK = document(
    "r:book",
    ChunkSpec("far", EAST),
    ChunkSpec("near", NORTH),
    ChunkSpec("between", towards(0.5)),
    ChunkSpec("near again", NORTH),
)


@pytest.mark.requirement(29)
def test_chunks_come_by_similarity_then_position() -> None:
    evidence = fetch(world(BOOK), plan_of("r:book"))
    assert [p.text for p in evidence.nodes[0].chunks] == ["near", "near again", "between", "far"]
    near, *_, far = evidence.nodes[0].chunks
    assert (near.similarity, far.similarity) == (4080 * 4080, 0)
    assert near.id == "r:book@1"


@pytest.mark.requirement(29)
def test_what_the_limit_per_document_cut_is_counted() -> None:
    evidence = fetch(world(BOOK), plan_of("r:book"), per_document=1)
    assert chunk_ids(evidence) == {"r:book": ["r:book@1"]}
    assert evidence.nodes[0].cut == 3


@pytest.mark.requirement(29)
def test_five_chunks_per_document_are_the_default() -> None:
    store = world(document("r:a", *("x" for _ in range(9))))
    (node,) = fetch(store, plan_of("r:a")).nodes
    assert (len(node.chunks), node.cut) == (5, 4)


@pytest.mark.requirement(29)
@given(documents, st.integers(1, 6), st.integers(1, 12))
def test_limits_hold_and_every_chunk_is_included_or_counted(
    rows: list[list[float]], per_document: int, max_chunks: int
) -> None:
    held = written(rows)
    plan = plan_of(*(one.id for one in held))
    evidence = fetch(world(*held), plan, per_document=per_document, max_chunks=max_chunks)
    assert sum(len(node.chunks) for node in evidence.nodes) == min(
        max_chunks, sum(min(per_document, len(row)) for row in rows)
    )
    for node, row in zip(evidence.nodes, rows, strict=True):
        assert len(node.chunks) <= per_document
        assert len(node.chunks) + node.cut == len(row)
        shown = [p.similarity or 0 for p in node.chunks]
        assert shown == sorted(shown, reverse=True)


@pytest.mark.requirement(29)
@given(documents, st.integers(1, 12))
def test_every_documents_best_chunk_comes_before_any_second(
    rows: list[list[float]], max_chunks: int
) -> None:
    held = written(rows)
    evidence = fetch(world(*held), plan_of(*(one.id for one in held)), max_chunks=max_chunks)
    counts = [(len(node.chunks), len(row)) for node, row in zip(evidence.nodes, rows, strict=True)]
    most = max(shown for shown, _ in counts)
    for shown, there in counts:
        assert shown >= min(there, most - 1)


@pytest.mark.requirement(29)
def test_within_a_small_limit_the_plans_first_documents_come_first() -> None:
    store = world(*(document(f"r:{name}", "one", "two") for name in "abc"))
    evidence = fetch(store, plan_of("r:c", "r:a", "r:b"), max_chunks=4)
    assert {node: len(held) for node, held in chunk_ids(evidence).items()} == {
        "r:c": 2,
        "r:a": 1,
        "r:b": 1,
    }


@pytest.mark.requirement(22)
@pytest.mark.requirement(29)
def test_planned_sections_share_their_documents_limit() -> None:
    parts = tuple(
        Part(f"#{name}", tuple(ChunkSpec("x", towards(share)) for share in row))
        for name, row in {"a": (0.9, 0.1), "b": (0.8, 0.7), "c": (0.2,)}.items()
    )
    store = world(document("r:book", parts=parts))
    evidence = fetch(store, plan_of("r:book#c", "r:book#b", "r:book#a"), per_document=3)
    assert chunk_ids(evidence) == {
        "r:book#c": [],
        "r:book#b": ["r:book#b@2", "r:book#b@3"],
        "r:book#a": ["r:book#a@0"],
    }
    assert [node.cut for node in evidence.nodes] == [1, 0, 1]


@pytest.mark.requirement(29)
def test_a_chunk_of_two_planned_nodes_is_included_once() -> None:
    store = world(document("r:book", "own", parts=(Part("#s", (ChunkSpec("inner"),)),)))
    outer_first = fetch(store, plan_of("r:book", "r:book#s"))
    assert chunk_ids(outer_first) == {"r:book": ["r:book@0", "r:book#s@1"], "r:book#s": []}
    inner_first = fetch(store, plan_of("r:book#s", "r:book"))
    assert chunk_ids(inner_first) == {"r:book#s": ["r:book#s@1"], "r:book": ["r:book@0"]}


@pytest.mark.requirement(29)
def test_evidence_is_grouped_by_node_in_the_plans_order() -> None:
    store = world(*(document(f"r:{name}", ChunkSpec(name, EAST)) for name in "abc"))
    evidence = fetch(store, plan_of("r:b", "r:c", "r:a"))
    assert [node.concept.id for node in evidence.nodes] == ["r:b", "r:c", "r:a"]
    assert [node.rule for node in evidence.nodes] == [f"seed {n} of 3" for n in (1, 2, 3)]


@pytest.mark.requirement(27)
def test_only_planned_documents_give_evidence() -> None:
    store = world(BOOK, document("r:other", ChunkSpec("nearest of all", NORTH)))
    assert set(chunk_ids(fetch(store, plan_of("r:book")))) == {"r:book"}


@pytest.mark.requirement(27)
def test_an_id_that_is_not_planned_is_refused() -> None:
    store = world(BOOK, document("r:other", "x"))
    window = store.texts(plan_of("r:book"))
    stranger = ChunkScore("r:other@0", "r:other", 0, 1, 1)
    for ask_for in (
        lambda: window.concepts(("r:other",)),
        lambda: window.chunk_scores("r:other"),
        lambda: window.full_texts(("r:other",)),
        lambda: window.chunks((stranger,)),
    ):
        with pytest.raises(NotPlanned):
            ask_for()


@pytest.mark.requirement(27)
@pytest.mark.requirement(34)
def test_a_planned_document_that_is_hidden_reads_like_one_that_never_was() -> None:
    plan = plan_of("r:book", "r:secret")
    absent = fetch(world(BOOK), plan)
    hidden = fetch(world(BOOK, document("r:secret", "x"), hidden=["r:secret"]), plan)
    assert canonical(hidden) == canonical(absent)
    assert [(d.id, d.entered, d.reason) for d in absent.decisions] == [
        ("r:secret", False, "nothing visible under this id")
    ]


@pytest.mark.requirement(26)
def test_an_empty_plan_gives_no_evidence_and_a_reason() -> None:
    evidence = fetch(world(BOOK), plan_of())
    assert (evidence.nodes, evidence.decisions) == ((), ())
    assert evidence.reason == "no seeds: nothing visible matches"
    assert fetch(world(), plan_of("r:book")).reason == "nothing visible is left of this plan"


@pytest.mark.requirement(24)
def test_without_a_question_chunks_come_in_the_documents_order() -> None:
    evidence = fetch(world(BOOK), plan_of("r:book", asked=False), per_document=2)
    assert [p.text for p in evidence.nodes[0].chunks] == ["far", "near"]
    assert {p.similarity for p in evidence.nodes[0].chunks} == {None}


@pytest.mark.requirement(30)
def test_evidence_of_expanded_documents_is_fetched_and_names_its_edge() -> None:
    store = world(BOOK, document("r:note", "a note"), edges=[edge("r:book", "r:note", "explains")])
    plan = expand_relationships(ask("why?"), seeds("r:book"), store.graph, store.search)
    evidence = fetch(store, plan)
    assert chunk_ids(evidence)["r:note"] == ["r:note@0"]
    assert evidence.nodes[1].rule == "r:book ->explains-> r:note (depth 1)"


@pytest.mark.requirement(25)
@given(documents, st.permutations(range(5)))
def test_without_relations_evidence_equals_that_of_the_seeds_alone_byte_for_byte(
    rows: list[list[float]], order: list[int]
) -> None:
    held = written(rows)
    evidence = seeds(*(f"r:{n}" for n in order if n < len(held)))
    store = world(*held)
    expanded = expand_relationships(ask("why?"), evidence, store.graph, store.search)
    alone = plan_seeds(ask("why?"), evidence)
    assert canonical(fetch(store, expanded)) == canonical(fetch(store, alone))


@pytest.mark.requirement(28)
@given(documents, st.permutations(range(5)))
def test_the_same_plan_gives_the_same_bytes_whatever_the_stores_order(
    rows: list[list[float]], order: list[int]
) -> None:
    held = written(rows)
    plan = plan_of(*(one.id for one in held))
    turned = [held[n] for n in order if n < len(held)]
    assert canonical(fetch(world(*turned), plan)) == canonical(fetch(world(*held), plan))


@pytest.mark.requirement(28)
@given(documents)
def test_a_plan_of_seeds_alone_equals_plain_semantic_retrieval(rows: list[list[float]]) -> None:
    """Plain: all chunks of the found documents, the five nearest of each."""
    held = written(rows)
    evidence = fetch(world(*held), plan_of(*(one.id for one in held)), max_chunks=10_000)
    asked = ask("why?").vector
    for node, one in zip(evidence.nodes, held, strict=True):
        ranked = sorted(
            (-sum(a * int(b) for a, b in zip(asked, row, strict=True)), chunk.position)
            for chunk, row in zip(one.chunks, one.chunk_vectors, strict=True)
        )
        assert [p.id for p in node.chunks] == [f"{one.id}@{at}" for _, at in ranked[:5]]


@pytest.mark.requirement(27)
def test_fetching_changes_nothing_in_the_plan() -> None:
    plan = plan_of("r:book", "r:gone")
    before = plan.digest
    fetch(world(BOOK), plan)
    assert plan.digest == before


@pytest.mark.requirement(37)
def test_an_edited_plan_that_names_a_hidden_document_yields_nothing_of_it() -> None:
    store = world(BOOK, document("r:secret", "the secret"), hidden=["r:secret"])
    plan = plan_of("r:book")
    edited = replace(plan, seed_documents=("r:book", "r:secret"), order=("r:secret", "r:book"))
    assert b"the secret" not in canonical(fetch(store, edited))


def test_no_chunk_is_counted_twice_as_cut() -> None:
    store = world(document("r:book", "own", parts=(Part("#s", (ChunkSpec("a"), ChunkSpec("b"))),)))
    evidence = fetch(store, plan_of("r:book#s", "r:book"), per_document=1)
    shown = Counter(p.id for node in evidence.nodes for p in node.chunks)
    assert sum(shown.values()) + sum(node.cut for node in evidence.nodes) == 3
