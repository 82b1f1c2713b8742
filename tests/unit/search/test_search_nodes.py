"""From a question to seeds."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.action import contract_of
from docgraph.model.embedding_state import EmbeddingState
from docgraph.model.errors import ContractViolation
from docgraph.model.seeds import Seed, Seeds
from docgraph.search.candidates import MAX_DEFINERS
from docgraph.search.search_nodes import ids_are_unique, search_nodes
from tests.support.fakes import PreferenceReranker
from tests.support.memory_world import World, world
from tests.support.sample_documents import (
    EAST,
    NORTH,
    ChunkSpec,
    Part,
    SampleDocument,
    ask,
    document,
    towards,
)

NOBODY = PreferenceReranker({}, name="none")
MODES = ("semantic", "bm25", "hybrid")

# Meaning prefers the lake, words the mill.
LAKE = document("r:lake.md", ChunkSpec("still water", NORTH), meaning=NORTH)
MILL = document("r:mill.md", ChunkSpec("how a mill grinds", EAST), meaning=towards(0.6))
ROAD = document("r:road.md", ChunkSpec("a long way", EAST), meaning=EAST)
VILLAGE = world(ROAD, MILL, LAKE)


PLAIN = {"over": "sections", "refine": False, "fusion": "reciprocal_rank"}


def find(
    store: World, text: str = "mill", *, reranker: PreferenceReranker = NOBODY, **options: Any
) -> Seeds:
    """With the plainest ranking, unless the options say otherwise."""
    complete = {**PLAIN, **options}
    found = contract_of(search_nodes).call((ask(text), store.search, reranker), complete)
    assert isinstance(found, Seeds)
    return found


def settings(found: Seeds) -> dict[str, object]:
    return dict(found.search)


@pytest.mark.requirement(13)
def test_vector_lexical_and_hybrid_search_find_seeds() -> None:
    assert find(VILLAGE, mode="semantic").ids == ("r:lake.md", "r:mill.md", "r:road.md")
    assert find(VILLAGE, mode="bm25").ids == ("r:mill.md",)
    assert find(VILLAGE, mode="hybrid").ids == ("r:mill.md", "r:lake.md", "r:road.md")


@pytest.mark.requirement(13)
def test_how_seeds_were_found_is_recorded() -> None:
    recorded = settings(find(VILLAGE))
    assert recorded == {
        "mode": "hybrid",
        "top": 8,
        "over": "sections",
        "roll_up": True,
        "refine": False,
        "fusion": "reciprocal_rank",
        "rank_k": 60,
        "words_share": 0.25,
        "title_share": 0.25,
        "definer_share": 0.25,
        "pool": 200,
        "per_document": 0,
        "k1": 1.2,
        "b": 0.75,
        "rerank": None,
    }
    assert settings(find(VILLAGE, mode="bm25"))["fusion"] is None


@pytest.mark.requirement(13)
@pytest.mark.parametrize(
    ("fusion", "first"), [("reciprocal_rank", "r:mill.md"), ("normalised_scores", "r:lake.md")]
)
def test_rankings_are_fused_by_rank_or_by_score(fusion: str, first: str) -> None:
    found = find(VILLAGE, fusion=fusion)
    assert settings(found)["fusion"] == fusion
    assert found.ids[0] == first


@pytest.mark.requirement(13)
def test_fusion_sees_the_first_200_of_each_ranking_and_no_more() -> None:
    crowd = [
        document(f"r:{n:03}", ChunkSpec("mill", EAST), meaning=towards(1 - n / 1000))
        for n in range(205)
    ]
    far = document("r:far", ChunkSpec("mill mill", EAST), meaning=EAST)
    found = find(world(*crowd, far), top=205)
    assert len(found.ids) == 205
    assert settings(found)["pool"] == 205
    score = {seed.id: seed.score for seed in find(world(*crowd, far), top=200).ranked}
    assert score["r:far"] == round(1 / 61, 12)  # first by words, beyond 200 by meaning


@pytest.mark.requirement(13)
def test_the_pool_grows_to_the_number_of_results() -> None:
    assert settings(find(VILLAGE, top=1000))["pool"] == 1000
    assert settings(find(VILLAGE, pool=5, top=2))["pool"] == 5


@pytest.mark.requirement(14)
def test_eight_documents_are_the_default() -> None:
    many = world(*(document(f"r:{n:02}", "mill") for n in range(12)))
    assert find(many).ids == tuple(f"r:{n:02}" for n in range(8))


@pytest.mark.requirement(14)
def test_a_document_is_found_by_its_sections_summary() -> None:
    inner = document("r:book", "x", meaning=EAST, parts=(Part("#deep", meaning=NORTH),))
    other = document("r:note", "x", meaning=towards(0.5))
    store = world(inner, other)
    assert find(store, mode="semantic").ids == ("r:book", "r:note")
    assert find(store, mode="semantic", over="documents").ids == ("r:note", "r:book")
    assert find(store, mode="semantic", roll_up=False).ids == ("r:book#deep", "r:note", "r:book")


@pytest.mark.requirement(14)
@given(st.lists(st.lists(st.floats(0, 1), min_size=1, max_size=4), min_size=1, max_size=6))
def test_over_chunks_equals_the_flat_baseline(shares: list[list[float]]) -> None:
    """Flat: every chunk by itself, ranked, then each document at its first appearance."""
    held = [
        document(f"r:{n}", *(ChunkSpec("x", towards(share)) for share in row), meaning=EAST)
        for n, row in enumerate(shares)
    ]
    question = ask("x")
    chunks = sorted(
        (-int(sum(a * int(b) for a, b in zip(question.vector, row, strict=True))), found.id)
        for found in held
        for row in found.chunk_vectors
    )
    flat = tuple(dict.fromkeys(node for _, node in chunks))[:8]
    assert find(world(*held), mode="semantic", over="chunks").ids == flat


@pytest.mark.requirement(15)
def test_seeds_contain_no_text() -> None:
    text = str(find(VILLAGE))
    assert "grinds" not in text
    assert "Summary of" not in text


@pytest.mark.requirement(13)
@pytest.mark.parametrize("mode", MODES)
def test_ties_go_by_id(mode: str) -> None:
    alike = [document(f"r:{name}", "mill") for name in "cab"]
    assert find(world(*alike), mode=mode).ids == ("r:a", "r:b", "r:c")
    assert find(world(*alike), mode=mode, top=2).ids == ("r:a", "r:b")


@pytest.mark.requirement(13)
def test_ties_at_the_edge_of_the_pool_are_broken_by_id_too() -> None:
    alike = [document(f"r:{name}", "mill") for name in "dcba"]
    assert find(world(*alike), mode="bm25", pool=2, top=2).ids == ("r:a", "r:b")


@pytest.mark.requirement(7)
@pytest.mark.parametrize("mode", MODES)
@given(order=st.permutations([LAKE, MILL, ROAD]))
def test_the_order_of_rows_in_a_store_does_not_show(mode: str, order: list[SampleDocument]) -> None:
    assert find(world(*order), mode=mode) == find(VILLAGE, mode=mode)


@pytest.mark.requirement(17)
@pytest.mark.requirement(36)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("fusion", ["reciprocal_rank", "normalised_scores"])
@given(chance=st.randoms(use_true_random=False), hidden=st.integers(0, 30))
def test_hidden_documents_change_no_rank_and_no_score(
    mode: str, fusion: str, chance: random.Random, hidden: int
) -> None:
    secret = [
        document(f"a:{n}", ChunkSpec("mill mill mill", towards(chance.random())), meaning=NORTH)
        for n in range(hidden)
    ]
    among = world(
        *secret,
        *VILLAGE.documents,
        hidden=[held.id for held in secret],
        names=[("mill.grind", held.id) for held in secret],
    )
    asked = "mill `mill.grind`"
    options: dict[str, Any] = {"mode": mode, "fusion": fusion, "top": 3, "pool": 3}
    assert find(among, asked, **options) == find(VILLAGE, asked, **options)


NAMED = world(*VILLAGE.documents, names=[("open_gate", "r:road.md")])


@pytest.mark.requirement(18)
@pytest.mark.parametrize("mode", ["bm25", "hybrid"])
def test_an_identifier_puts_its_defining_node_on_top(mode: str) -> None:
    found = find(NAMED, "mill open_gate", mode=mode)
    assert found.ids[0] == "r:road.md"
    assert found.ranked[0].why == "defines open_gate"
    assert "r:mill.md" in found.ids


@pytest.mark.requirement(18)
def test_vector_search_ignores_identifiers() -> None:
    found = find(NAMED, "mill open_gate", mode="semantic")
    assert found == find(VILLAGE, "mill open_gate", mode="semantic")


@pytest.mark.requirement(18)
def test_the_defining_node_stays_on_top_when_candidates_are_reranked() -> None:
    found = find(NAMED, "mill open_gate", reranker=PreferenceReranker({"r:lake.md": 9}), rerank=3)
    assert found.ids[:2] == ("r:road.md", "r:lake.md")


@pytest.mark.requirement(18)
def test_a_name_that_many_define_singles_none_of_them_out() -> None:
    homes = [document(f"r:{number:02}.md", "a home") for number in range(MAX_DEFINERS + 1)]
    named = [("__init__", home.id) for home in homes]
    few = find(world(*homes, names=named[:-1]), "`__init__`", mode="bm25", top=20)
    assert len(few.ids) == MAX_DEFINERS
    assert find(world(*homes, names=named), "`__init__`", mode="bm25", top=20).ids == ()


@pytest.mark.requirement(18)
def test_a_definition_is_found_beyond_the_pool() -> None:
    found = find(NAMED, "mill open_gate", mode="bm25", pool=1, top=1)
    assert found.ids == ("r:road.md",)
    assert found.ranked[0].score == 0.0


@pytest.mark.requirement(18)
def test_definitions_that_nothing_else_found_come_in_the_questions_order() -> None:
    store = world(
        *VILLAGE.documents, names=[("open_gate", "r:road.md"), ("shut_gate", "r:lake.md")]
    )
    for text in ("open_gate shut_gate", "shut_gate open_gate"):
        first, second = text.split()
        found = find(store, text, mode="bm25")
        assert [seed.why for seed in found.ranked] == [f"defines {first}", f"defines {second}"]


@pytest.mark.requirement(18)
def test_not_rolled_up_the_symbol_itself_is_on_top() -> None:
    code = document("r:gate.py", parts=(Part("::open_gate", (ChunkSpec("def open_gate", EAST),)),))
    store = world(*VILLAGE.documents, code, names=[("open_gate", "r:gate.py::open_gate")])
    assert find(store, "open_gate", roll_up=False).ids[0] == "r:gate.py::open_gate"
    assert find(store, "open_gate").ids[0] == "r:gate.py"


@pytest.mark.requirement(16)
def test_reranking_reorders_and_changes_the_shape_in_nothing() -> None:
    before = find(VILLAGE)
    after = find(
        VILLAGE, rerank=3, reranker=PreferenceReranker({"r:road.md": 2.0, "r:mill.md": 1.0})
    )
    assert after.ids == ("r:road.md", "r:mill.md", "r:lake.md")
    assert set(after.ranked) == set(before.ranked)
    assert [name for name, _ in after.search] == [name for name, _ in before.search]
    assert settings(after)["rerank"] == "opinionated"


@pytest.mark.requirement(16)
def test_only_the_first_candidates_are_reranked() -> None:
    before = find(VILLAGE)
    after = find(VILLAGE, rerank=2, reranker=PreferenceReranker({"r:road.md": 9, before.ids[1]: 1}))
    assert after.ids == (before.ids[1], before.ids[0], "r:road.md")


@pytest.mark.requirement(16)
@pytest.mark.parametrize("odd", [float("nan"), float("inf"), float("-inf")])
def test_a_score_that_is_no_number_counts_as_none(odd: float) -> None:
    before = find(VILLAGE)
    last = before.ids[-1]
    after = find(VILLAGE, rerank=3, reranker=PreferenceReranker({before.ids[0]: odd, last: -5.0}))
    assert after.ids == (last, *before.ids[:-1])


CROWD = world(*(document(f"r:{n}", "mill") for n in range(6)))


@pytest.mark.requirement(16)
@pytest.mark.requirement(47)
def test_a_withheld_candidate_keeps_its_rank_and_is_marked() -> None:
    backwards = {f"r:{n}": float(n) for n in range(6)}
    after = find(CROWD, rerank=5, reranker=PreferenceReranker(backwards, withheld=("r:1", "r:2")))
    assert after.ids == ("r:4", "r:1", "r:2", "r:3", "r:0", "r:5")
    text = {seed.id: seed.why for seed in after.ranked}
    assert text["r:2"] == "hybrid rank 3, withheld from opinionated"
    assert text["r:3"] == "hybrid rank 4"
    assert settings(after)["rerank_withheld"] == 2
    assert "rerank_withheld" not in settings(
        find(CROWD, rerank=5, reranker=PreferenceReranker(backwards))
    )


@pytest.mark.requirement(47)
@given(st.sets(st.integers(0, 5)), st.lists(st.floats(-9, 9), min_size=6, max_size=6))
def test_withheld_candidates_keep_their_ranks_and_others_are_reordered(
    kept: set[int], scores: list[float]
) -> None:
    opinions = {f"r:{n}": score for n, score in enumerate(scores)}
    withheld = tuple(f"r:{n}" for n in sorted(kept))
    after = find(CROWD, rerank=6, reranker=PreferenceReranker(opinions, withheld=withheld)).ids
    assert [after[n] for n in sorted(kept)] == list(withheld)
    others = [node for node in after if node not in withheld]
    assert others == sorted(others, key=lambda node: (-opinions[node], node))


@pytest.mark.requirement(33)
def test_a_seed_records_its_rank_before_definitions_and_reranking() -> None:
    found = find(NAMED, "mill open_gate", rerank=3, reranker=PreferenceReranker({"r:lake.md": 9}))
    assert [seed.why for seed in found.ranked] == [
        "defines open_gate",
        "hybrid rank 2",
        "hybrid rank 1",
    ]


@pytest.mark.requirement(26)
@pytest.mark.parametrize("mode", MODES)
def test_an_empty_world_has_no_seeds(mode: str) -> None:
    assert find(world(), mode=mode).ids == ()
    assert find(world(LAKE, hidden=["r:lake.md"]), mode=mode).ids == ()


@pytest.mark.requirement(26)
@pytest.mark.parametrize("text", ["", "?!", "zebra"])
def test_a_question_of_unused_words_finds_nothing_lexically(text: str) -> None:
    assert find(VILLAGE, text, mode="bm25").ids == ()


def test_a_duplicate_seed_violates_the_contract() -> None:
    twice = Seeds((Seed("r:a", 1, ""), Seed("r:a", 1, "")), ())
    assert not ids_are_unique(twice)

    class Doubled:
        exact = True
        embeddings = EmbeddingState(1, 1, 1)

        def nearest(self, *_: object, **__: object) -> tuple[tuple[str, int], ...]:
            return (("r:a", 1), ("r:a", 1))

    with pytest.raises(ContractViolation, match="No id occurs twice"):
        contract_of(search_nodes).call((ask("x"), Doubled(), NOBODY), {**PLAIN, "mode": "semantic"})


LONG = document(
    "r:long.md",
    ChunkSpec("snow", EAST),
    ChunkSpec("a wheel in the water", towards(0.9)),
    meaning=EAST,
)


@pytest.mark.parametrize("mode", ["semantic", "hybrid"])
def test_refined_candidates_score_as_their_best_chunk(mode: str) -> None:
    """Its summary differs from one of its chunks."""
    store = world(ROAD, MILL, LONG)
    plain = find(store, "wheel", mode=mode, fusion="normalised_scores", over="documents")
    options: dict[str, Any] = {"fusion": "normalised_scores", "over": "documents", "refine": True}
    refined = find(store, "wheel", mode=mode, **options)
    assert refined.ids[0] == "r:long.md"
    assert refined.ranked[0].score > plain.ranked[0].score or plain.ids[0] != "r:long.md"
    assert refined.candidates.by_chunk
    assert not plain.candidates.by_chunk


def test_refinement_scores_lexical_candidates_too() -> None:
    """Past the last by meaning, yet with its own cosine and not with that of the last."""
    found = find(VILLAGE, "long", fusion="normalised_scores", over="documents", pool=2, top=1)
    scores = dict(found.candidates.scores)
    assert found.candidates.baseline == pytest.approx(0.8, abs=0.01)  # between 1 and 0.6
    assert scores["r:mill.md"] == pytest.approx(-1, abs=0.01)
    assert scores["r:road.md"] == pytest.approx(-4 + 0.25, abs=0.05)


def test_a_document_whose_title_the_question_names_gains_by_it() -> None:
    store = world(*(document(f"r:{name}.md", meaning=EAST) for name in ("Alpha", "Beta", "Gamma")))
    found = find(store, "What is Beta.md?", fusion="normalised_scores")
    assert found.ids[0] == "r:Beta.md"
    assert found.ranked[0].why == "hybrid rank 1, titled Beta.md"
    assert find(store, "What is beta.md?", fusion="normalised_scores").ids[0] == "r:Alpha.md"


@pytest.mark.requirement(18)
def test_a_question_that_names_very_many_is_about_few_of_them() -> None:
    """Up to three are put first; of more, each only gains by it."""
    names = ("open_gate", "shut_gate", "lift_gate", "mend_gate")
    held = [document(f"r:{name}.md", meaning=EAST) for name in names]
    store = world(LAKE, *held, names=[(name, f"r:{name}.md") for name in names])
    options: dict[str, Any] = {"fusion": "normalised_scores", "over": "documents"}
    three = find(store, " ".join(names[:3]), **options)
    assert set(three.ids[:3]) == {f"r:{name}.md" for name in names[:3]}
    assert find(store, " ".join(names), **options).ids[0] == "r:lake.md"


def test_only_so_many_nodes_of_one_document_are_seeds() -> None:
    parts = tuple(Part(f"::f{n}", (ChunkSpec("mill", NORTH),)) for n in range(5))
    store = world(document("r:a.py", parts=parts), document("r:b.py", ChunkSpec("mill", EAST)))
    options: dict[str, Any] = {"roll_up": False, "over": "chunks", "top": 4}
    assert "r:b.py" not in find(store, **options).ids
    spread = find(store, per_document=2, **options)
    assert [node for node in spread.ids if node.startswith("r:a.py")] == [
        "r:a.py::f0",
        "r:a.py::f1",
    ]
    assert "r:b.py" in spread.ids
