"""At which step a node was excluded, by how much, and the smallest change that includes it."""

from collections.abc import Mapping
from typing import Any

import pytest

from docgraph.model.errors import BadPipeline
from docgraph.model.explanation import Explanation, OptionChange
from docgraph.model.question import Question
from docgraph.pipeline.load import load
from docgraph.pipeline.pipeline import Pipeline
from docgraph.pipeline.run import Run
from docgraph.pipeline.why_not.why_not import why_not
from tests.support.explanations import (
    QUESTION,
    cited_ids,
    explain,
    find_explanation,
    run_pipeline,
    with_changes,
)
from tests.support.memory_world import World, world
from tests.support.sample_documents import EAST, NORTH, ChunkSpec, Part, document, edge, towards

DOCUMENTS, CODE, FLAT = load("documents"), load("code"), load("flat")
# Without the dominant scope, which has tests of its own below.
OPEN = Pipeline("open", tuple(s for s in DOCUMENTS.steps if s.action.name != "select_scope"))


def town(*, edges: bool = True) -> World:
    """Eight documents, each a little further from the question; the last leads to a lonely one."""
    ring = [
        document(f"r:{at}.md", f"corn {at}", meaning=towards(1 - at / 20)) for at in range(1, 9)
    ]
    far = document("r:far.md", "a road", meaning=EAST)
    known = [edge("r:1.md", "r:far.md", "explains"), edge("r:5.md", "r:6.md", "mentions")]
    return world(*ring, far, edges=known if edges else ())


def changed(found: Explanation) -> list[tuple[str, object, object]]:
    return [(f"{one.action}.{one.option}", one.old, one.new) for one in found.change]


def numbers(found: Explanation, action: str) -> dict[str, float]:
    return dict(next(one.numbers for one in found.steps if one.action == action))


def confirmed(found: Explanation, pipeline: Pipeline, store: World) -> None:
    """A run with the reported change includes the node."""
    assert found.change
    assert found.node.partition("#")[0] in cited_ids(with_changes(pipeline, store, found.change))


@pytest.mark.requirement(49)
def test_what_is_there_says_why() -> None:
    found = explain("r:1.md", OPEN, town())
    assert found.stage == "included"
    assert (found.change, found.suggestion) == ((), "")
    assert [one.included for one in found.steps] == [True] * 4
    assert found.steps[0].explanation.startswith("seed 1 of 8")
    (piece,) = found.items
    assert (piece.number, piece.id) == (1, "r:1.md@0")
    assert piece.why.rule == "seed 1 of 6"


def test_a_neighbour_that_is_there_names_its_edge() -> None:
    pipeline = OPEN.with_options("search_nodes", top=2)
    found = explain("r:far.md", pipeline, town())
    assert found.stage == "included"
    assert not found.steps[0].included
    assert "r:1.md ->explains-> r:far.md" in found.steps[1].explanation


@pytest.mark.requirement(36)
def test_hidden_and_absent_have_no_explanation() -> None:
    store = town()
    dark = World(store.documents, store.edges, hidden=frozenset({"r:2.md"}))
    for node in ("r:2.md", "r:2.md@0", "r:zz.md"):
        assert find_explanation(node, OPEN, dark) is None


@pytest.mark.requirement(49)
def test_a_rank_beyond_top_is_explained_and_top_is_raised_just_enough() -> None:
    pipeline = OPEN.with_options("search_nodes", top=3)
    found = explain("r:5.md", pipeline, town(edges=False))
    text = numbers(found, "search_nodes")
    assert (found.stage, text["rank"], text["top"]) == ("rank", 5, 3)
    assert text["last"] - text["score"] == pytest.approx(text["shortfall"])
    assert text["shortfall"] > 0
    assert changed(found) == [("search_nodes.top", 3, 5)]
    confirmed(found, pipeline, town(edges=False))


def test_what_search_does_not_find_at_all_needs_a_larger_pool_or_another_mode() -> None:
    pipeline = OPEN.with_options("search_nodes", top=2, pool=2)
    found = explain("r:far.md", pipeline, town(edges=False))
    assert found.stage == "search"
    assert numbers(found, "search_nodes")["candidates"] < 9
    confirmed(found, pipeline, town(edges=False))


@pytest.mark.requirement(49)
def test_the_dominant_scope_is_widened_to_the_share_that_it_has() -> None:
    store = world(
        document("r:near.md", "corn", meaning=NORTH),
        document("r:side.md", "a baker", meaning=towards(0.2)),
    )
    found = explain("r:side.md", DOCUMENTS, store)
    text = numbers(found, "select_scope")
    assert found.stage == "scope"
    assert text["share"] < 0.3
    ((name, old, new),) = changed(found)
    assert (name, old) == ("select_scope.cluster", 0.3)
    assert isinstance(new, float)
    assert 0 < new <= text["score"] / text["best"] < new + 0.001
    confirmed(found, DOCUMENTS, store)


def test_a_repository_that_does_not_dominate_comes_in_without_that_rule() -> None:
    store = world(
        *(document(f"r:{at}.md", "corn", meaning=NORTH) for at in range(4)),
        document("s:other.md", "corn", meaning=towards(0.9)),
    )
    found = explain("s:other.md", DOCUMENTS, store)
    assert found.stage == "scope"
    assert changed(found) == [("select_scope.repository", True, False)]


@pytest.mark.requirement(49)
@pytest.mark.parametrize(
    ("other", "change"), [("r:late.md", ("ingestion", True)), ("s:late.md", ("ingestion", False))]
)
def test_another_ingestion_comes_in_by_its_repository_or_without_the_rule(
    other: str, change: tuple[object, object]
) -> None:
    store = world(
        *(document(f"r:{at}.md", "corn", meaning=NORTH) for at in range(4)),
        document(other, "corn", meaning=towards(0.9)),
        snapshots={other: 2},
    )
    pipeline = DOCUMENTS.with_options("select_scope", repository="ingestion")
    found = explain(other, pipeline, store)
    assert found.stage == "scope"
    assert "ingestion of r:0.md dominates" in found.explanation
    assert changed(found) == [("select_scope.repository", *change)]
    confirmed(found, pipeline, store)


def test_a_scope_with_two_objections_is_switched_off() -> None:
    store = world(
        *(document(f"r:{at}.md", "corn", meaning=NORTH) for at in range(4)),
        document("s:other.py", "corn", meaning=towards(0.9)),
    )
    found = explain("s:other.py", DOCUMENTS, store)
    assert changed(found) == [("select_scope.", "on", "off")]
    confirmed(found, DOCUMENTS, store)


@pytest.mark.requirement(49)
def test_a_node_cut_by_a_limit_is_explained_with_its_position() -> None:
    pipeline = OPEN.with_options("expand_relationships", max_documents=3)
    found = explain("r:5.md", pipeline, town(edges=False))
    assert found.stage == "cap"
    assert numbers(found, "expand_relationships") == {"position": 5, "limit": 3}
    assert "cut by max_documents=3" in found.explanation
    assert changed(found) == [("expand_relationships.max_documents", 3, 5)]


@pytest.mark.requirement(49)
def test_a_relation_that_is_not_followed_is_named() -> None:
    pipeline = OPEN.with_options("search_nodes", top=2).with_options(
        "expand_relationships", relations=("mentions",)
    )
    found = explain("r:far.md", pipeline, town())
    assert found.stage == "relation"
    assert found.explanation == (
        "r:1.md ->explains-> r:far.md leads here, but explains is not followed"
    )
    assert changed(found) == [
        ("expand_relationships.relations", ("mentions",), ("mentions", "explains"))
    ]


def test_a_seed_beyond_the_limit_of_seed_documents_does_not_lead_on() -> None:
    pipeline = OPEN.with_options("search_nodes", top=5).with_options(
        "expand_relationships", max_seed_documents=2
    )
    found = explain("r:6.md", pipeline, town())
    assert found.stage == "relation"
    assert "only seeds of the first 2 documents lead on" in found.explanation
    assert changed(found) == [("expand_relationships.max_seed_documents", 2, 5)]


def test_a_tree_that_is_not_deep_enough_is_deepened() -> None:
    store = world(
        document("r:a.py", "corn", meaning=NORTH),
        document("r:b.py", "b", meaning=EAST),
        document("r:c.py", "c", meaning=EAST),
        edges=[edge("r:a.py", "r:b.py", "imports"), edge("r:b.py", "r:c.py", "imports")],
    )
    pipeline = CODE.with_options("search_nodes", top=1).with_options(
        "expand_dependency_tree", max_depth=1
    )
    found = explain("r:c.py", pipeline, store)
    assert found.stage == "relation"
    assert "one step beyond max_depth=1" in found.explanation
    assert changed(found) == [("expand_dependency_tree.max_depth", 1, 2)]


def long(*, parts: int) -> World:
    """One document whose sections are ever further from the question."""
    sections = tuple(
        Part(f"#s{at}", (ChunkSpec(f"corn {at} " + "word " * at, towards(1 - at / 20)),))
        for at in range(parts)
    )
    return world(document("r:long.md", meaning=NORTH, parts=sections))


@pytest.mark.requirement(49)
def test_a_chunk_that_was_not_fetched_is_explained_with_its_rank_in_its_document() -> None:
    found = explain("r:long.md#s7", DOCUMENTS, long(parts=9))
    assert found.stage == "fetch"
    assert numbers(found, "fetch_evidence") == {"position": 8, "chunks": 9}
    assert changed(found) == [("fetch_evidence.per_document", 5, 8)]
    assert explain("r:long.md#s7@7", DOCUMENTS, long(parts=9)).change == found.change
    assert explain("r:long.md", DOCUMENTS, long(parts=9)).stage == "included"


def test_a_limit_of_chunks_is_raised_by_as_many_as_it_takes() -> None:
    pipeline = OPEN.with_options("fetch_evidence", max_chunks=2)
    found = explain("r:4.md", pipeline, town(edges=False))
    assert found.stage == "fetch"
    assert changed(found) == [("fetch_evidence.max_chunks", 2, 4)]


def test_a_full_text_that_is_too_long_is_explained_with_the_missing_budget() -> None:
    store = world(document("r:a.py", "corn " * 10, meaning=NORTH))
    pipeline = CODE.with_options("fetch_node_texts", max_chars=30)
    found = explain("r:a.py", pipeline, store)
    assert found.stage == "fetch"
    ((name, old, new),) = changed(found)
    assert (name, old) == ("fetch_node_texts.max_chars", 30)
    assert new == 30 + numbers(found, "fetch_node_texts")["missing"]


@pytest.mark.requirement(49)
def test_an_item_over_budget_is_explained_with_the_missing_tokens() -> None:
    pipeline = OPEN.with_options("assemble_context", max_tokens=20)
    store = town(edges=False)
    found = explain("r:4.md", pipeline, store)
    assert found.stage == "budget"
    assert numbers(found, "assemble_context")["missing"] > 0
    ((name, old, new),) = changed(found)
    assert (name, old) == ("assemble_context.max_tokens", 20)
    assert isinstance(new, int)
    for budget in range(21, new):  # the very smallest: nothing below does it
        less = OptionChange("assemble_context", "max_tokens", 20, budget)
        assert "r:4.md" not in cited_ids(with_changes(pipeline, store, [less]))
    confirmed(found, pipeline, store)


@pytest.mark.requirement(49)
def test_two_changes_together_are_both_named() -> None:
    pipeline = OPEN.with_options("search_nodes", top=2).with_options(
        "expand_relationships", max_documents=2
    )
    store = town(edges=False)
    found = explain("r:4.md", pipeline, store)
    assert found.suggestion == "no single change that was tried includes it; together these do"
    assert changed(found) == [
        ("search_nodes.top", 2, 4),
        ("expand_relationships.max_documents", 2, 4),
    ]
    for change in found.change:
        assert "r:4.md" not in cited_ids(with_changes(pipeline, store, [change]))
    confirmed(found, pipeline, store)


def test_naming_it_as_a_seed_is_the_last_resort() -> None:
    """`flat` has a limit on documents that no file can set."""
    pipeline = FLAT.with_options("search_nodes", mode="semantic")
    store = town(edges=False)
    found = explain("r:far.md", pipeline, store)
    assert "naming it as a seed does" in found.suggestion
    assert found.change == (OptionChange("seeds", "seed", (), ("r:far.md",)),)
    confirmed(found, pipeline, store)


def test_seeds_that_were_named_stay_beside_the_one_that_is_suggested() -> None:
    found = explain("r:8.md", OPEN, town(), seeds=("r:1.md",))
    assert found.stage == "relation"
    assert found.change == (OptionChange("seeds", "seed", ("r:1.md",), ("r:1.md", "r:8.md")),)


def test_what_holds_no_text_cannot_be_let_in() -> None:
    store = world(document("r:empty.md", meaning=NORTH), document("r:a.md", "corn"))
    found = explain("r:empty.md", DOCUMENTS, store)
    assert (found.stage, found.change) == ("fetch", ())
    assert found.suggestion == "nothing that was tried includes it"


def test_tries_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("docgraph.pipeline.why_not.trials.MAX_RUNS", 4)
    pipeline = OPEN.with_options("search_nodes", top=2).with_options(
        "expand_relationships", max_documents=2
    )
    found = explain("r:4.md", pipeline, town(edges=False))
    assert found.runs == 4
    assert found.suggestion.endswith("not all could be tried")


def test_steps_before_a_change_are_not_run_again() -> None:
    store, begun = town(edges=False), list[str]()

    def again(pipeline: Pipeline, values: Mapping[type, Any]) -> Run:
        begun.append(pipeline.steps[0].action.name)
        return run_pipeline(pipeline, store, dict(values))

    pipeline = OPEN.with_options("assemble_context", max_tokens=20)
    found = why_not("r:4.md", pipeline, {Question: QUESTION}, store, again)
    assert found is not None
    assert found.runs == len(begun) > 1
    assert set(begun[1:]) == {"assemble_context"}


def test_a_pipeline_without_a_context_is_refused() -> None:
    with pytest.raises(BadPipeline, match="makes no Context"):
        explain("r:1.md", Pipeline("p", DOCUMENTS.steps[:2]), town())
