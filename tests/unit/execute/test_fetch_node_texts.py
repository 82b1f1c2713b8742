"""Whole texts of planned nodes, under one budget."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.action import contract_of
from docgraph.execute.fetch_node_texts import (
    DEFAULT_MAX_CHARS,
    check_single_budget,
    fetch_node_texts,
    order_nodes,
)
from docgraph.model.context import TokenCounter
from docgraph.model.digest import canonical
from docgraph.model.evidence import Decision, RetrievedContext
from docgraph.model.plan import RetrievalPlan
from docgraph.plan.expand_relationships import expand_relationships
from docgraph.plan.plan_seeds import plan_seeds
from tests.support.fakes import LetterCounter, WordCounter
from tests.support.memory_world import World, world
from tests.support.sample_documents import ChunkSpec, Part, ask, document, edge, seeds

lengths = st.lists(st.integers(0, 30), min_size=1, max_size=6)


def fetch(
    place: World, plan: RetrievalPlan, tokens: TokenCounter | None = None, **options: Any
) -> RetrievedContext:
    inputs = (plan, place.texts(plan), tokens or WordCounter())
    found = contract_of(fetch_node_texts).call(inputs, options)
    assert isinstance(found, RetrievedContext)
    return found


def entered(found: RetrievedContext) -> list[str]:
    return [node.concept.id for node in found.nodes]


def seeds_only(*ids: str) -> RetrievalPlan:
    return plan_seeds(ask("why?"), seeds(*ids))


def grown() -> tuple[World, RetrievalPlan]:
    """Two seeds; the first leads to three more."""
    place = world(
        *(document(f"r:{name}", f"text {name}") for name in "abcde"),
        edges=[edge("r:a", f"r:{name}") for name in "cde"],
    )
    found = seeds("r:a", "r:b")
    return place, expand_relationships(ask("why?"), found, place.graph, place.search)


@pytest.mark.requirement(31)
@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("seed_first", ["r:a", "r:b", "r:c", "r:d", "r:e"]),
        ("graph_first", ["r:c", "r:d", "r:e", "r:a", "r:b"]),
        ("balanced", ["r:a", "r:c", "r:b", "r:d", "r:e"]),
    ],
)
def test_texts_come_seeds_first_graph_first_or_alternating(order: str, expected: list[str]) -> None:
    place, plan = grown()
    assert entered(fetch(place, plan, order=order)) == expected


@pytest.mark.requirement(31)
@pytest.mark.parametrize("order", ["seed_first", "graph_first", "balanced"])
def test_every_order_has_every_planned_node_once(order: Any) -> None:
    _, plan = grown()
    assert sorted(order_nodes(plan, order)) == sorted(plan.order)


@pytest.mark.requirement(31)
def test_what_does_not_fit_is_skipped_whole_and_a_smaller_later_one_enters() -> None:
    place = world(document("r:a", "x" * 9), document("r:b", "x" * 50), document("r:c", "x" * 4))
    found = fetch(place, seeds_only("r:a", "r:b", "r:c"), max_chars=15)
    assert entered(found) == ["r:a", "r:c"]
    assert [(d.id, d.entered, d.reason) for d in found.decisions] == [
        ("r:a", True, "10 characters, 5 left"),
        ("r:b", False, "51 characters, 5 left"),
        ("r:c", True, "5 characters, 0 left"),
    ]


@pytest.mark.requirement(31)
@given(lengths, st.integers(1, 100))
def test_a_budget_of_characters_holds_and_every_decision_is_recorded(
    sizes: list[int], max_chars: int
) -> None:
    place = world(*(document(f"r:{n}", "x" * size) for n, size in enumerate(sizes)))
    plan = seeds_only(*(f"r:{n}" for n in range(len(sizes))))
    found = fetch(place, plan, max_chars=max_chars)
    assert sum(len(p.text) for node in found.nodes for p in node.chunks) <= max_chars
    assert [decision.id for decision in found.decisions] == list(plan.order)
    assert [d.id for d in found.decisions if d.entered] == entered(found)


@pytest.mark.requirement(31)
@given(lengths, st.integers(1, 60))
def test_a_budget_of_tokens_is_counted_by_the_tokenizer(sizes: list[int], most: int) -> None:
    place = world(*(document(f"r:{n}", "x " * size) for n, size in enumerate(sizes)))
    plan = seeds_only(*(f"r:{n}" for n in range(len(sizes))))
    found = fetch(place, plan, max_tokens=most)
    texts = [p.text for node in found.nodes for p in node.chunks]
    assert sum(map(WordCounter().count, texts)) <= most
    assert all("tokens" in decision.reason for decision in found.decisions)


@pytest.mark.requirement(31)
def test_a_budget_of_tokens_takes_what_fits_and_counts_no_characters() -> None:
    """Each text has three tokens, and far more characters than the budget."""
    place = world(*(document(f"r:{name}", "first second third") for name in "abc"))
    found = fetch(place, seeds_only("r:a", "r:b", "r:c"), max_tokens=6)
    assert entered(found) == ["r:a", "r:b"]
    assert [(d.entered, d.reason) for d in found.decisions] == [
        (True, "3 tokens, 3 left"),
        (True, "3 tokens, 0 left"),
        (False, "3 tokens, 0 left"),
    ]


@pytest.mark.requirement(31)
def test_without_a_budget_sixty_thousand_characters_are_taken() -> None:
    place = world(document("r:a", "x" * (DEFAULT_MAX_CHARS - 1)), document("r:b", ""))
    found = fetch(place, seeds_only("r:a", "r:b"), LetterCounter())
    assert [d.reason for d in found.decisions] == [
        "60000 characters, 0 left",
        "1 characters, 0 left",
    ]


@pytest.mark.requirement(31)
def test_both_budgets_at_once_are_refused() -> None:
    message = check_single_budget({"max_chars": 10, "max_tokens": 10})
    assert message == "max_chars and max_tokens exclude each other; set one of them to null"
    for options in ({}, {"max_chars": 10}, {"max_chars": None, "max_tokens": 10}):
        assert check_single_budget(options) is None


@pytest.mark.requirement(31)
def test_a_text_is_the_nodes_own_span_and_nothing_around_it() -> None:
    code = document(
        "r:m.py",
        "import x",
        parts=(Part("::f", (ChunkSpec("def f"),)), Part("::g", (ChunkSpec("def g"),))),
    )
    found = fetch(world(code), seeds_only("r:m.py::g"))
    (chunk,) = found.nodes[0].chunks
    assert (chunk.id, chunk.text, chunk.similarity) == ("r:m.py::g", "def g\n", None)


@pytest.mark.requirement(31)
def test_a_text_inside_another_is_not_included_twice() -> None:
    code = document("r:m.py", "import x", parts=(Part("::f", (ChunkSpec("def f"),)),))
    other = document("r:n.py", "import x", parts=(Part("::f", (ChunkSpec("def f"),)),))
    found = fetch(world(code, other), seeds_only("r:m.py", "r:m.py::f", "r:n.py::f"))
    assert entered(found) == ["r:m.py", "r:n.py::f"]
    assert found.decisions[1] == Decision("r:m.py::f", False, "already inside r:m.py")
    assert {node.cut for node in found.nodes} == {0}
    same = document("r:s.py", parts=(Part("::f", (ChunkSpec("def f"),)),))
    assert entered(fetch(world(same), seeds_only("r:s.py", "r:s.py::f"))) == ["r:s.py"]


@pytest.mark.requirement(31)
def test_a_whole_document_enters_after_its_part_and_neighbours_of_a_part_enter_too() -> None:
    parts = tuple(Part(f"::{name}", (ChunkSpec(f"def {name}"),)) for name in "fgh")
    place = world(document("r:m.py", parts=parts))
    found = fetch(place, seeds_only("r:m.py::g", "r:m.py::f", "r:m.py::h", "r:m.py"))
    assert entered(found) == ["r:m.py::g", "r:m.py::f", "r:m.py::h", "r:m.py"]


@pytest.mark.requirement(27)
@pytest.mark.requirement(34)
def test_hidden_and_absent_texts_read_alike() -> None:
    plan = seeds_only("r:a", "r:secret")
    open_ = document("r:a", "text")
    absent = fetch(world(open_), plan)
    hidden = fetch(world(open_, document("r:secret", "x"), hidden=["r:secret"]), plan)
    assert canonical(hidden) == canonical(absent)
    assert absent.decisions[1].reason == "nothing visible under this id"


@pytest.mark.requirement(26)
def test_an_empty_plan_gives_no_texts_and_a_reason() -> None:
    assert fetch(world(), seeds_only()).reason == "no seeds: nothing visible matches"
    nothing_fits = fetch(world(document("r:a", "x" * 9)), seeds_only("r:a"), max_chars=1)
    assert nothing_fits.reason == "nothing visible of this plan has a text that fits"


@pytest.mark.requirement(30)
def test_texts_of_expanded_documents_name_their_edge() -> None:
    place, plan = grown()
    rules = {node.concept.id: node.rule for node in fetch(place, plan).nodes}
    assert rules["r:c"] == "r:a ->references-> r:c (depth 1)"
    assert rules["r:b"] == "seed 2 of 2"
