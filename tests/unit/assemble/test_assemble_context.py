"""Concepts and evidence on a page that never exceeds its tokens."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from docgraph.action import contract_of
from docgraph.assemble.assemble_context import assemble_context, within_budget
from docgraph.execute.fetch_evidence import fetch_evidence
from docgraph.execute.fetch_node_texts import fetch_node_texts
from docgraph.model.context import Context, TokenCounter
from docgraph.model.evidence import RetrievedContext
from docgraph.plan.expand_relationships import expand_relationships
from docgraph.plan.plan_seeds import plan_seeds
from tests.support.fakes import LetterCounter, WordCounter
from tests.support.memory_world import world
from tests.support.sample_documents import (
    ChunkSpec,
    Part,
    SampleDocument,
    ask,
    document,
    edge,
    seeds,
)

WORDS = WordCounter()
AWKWARD = LetterCounter(blank=9)  # a page costs more than the sum of its pieces
texts = st.lists(st.lists(st.text(max_size=40), max_size=3), max_size=4)


def evidence(*documents: SampleDocument) -> RetrievedContext:
    plan = plan_seeds(ask("why?"), seeds(*(held.id for held in documents)))
    return fetch_evidence(plan, world(*documents).texts(plan))


def assemble(found: RetrievedContext, tokens: TokenCounter = WORDS, **options: Any) -> Context:
    context = contract_of(assemble_context).call((found, tokens), options)
    assert isinstance(context, Context)
    return context


BOOK = document(
    "r:book.md",
    "An opening.",
    parts=(Part("#mills", (ChunkSpec("Mills grind."), ChunkSpec("Slowly."))),),
)
NOTE = document("r:note.md", "A note.")


@pytest.mark.requirement(32)
def test_a_context_has_two_layers_concepts_and_numbered_evidence() -> None:
    context = assemble(evidence(BOOK, NOTE))
    assert context.text == (
        "## Documents\n\n"
        "- book.md: Summary of book.md. (r:book.md)\n"
        "- note.md: Summary of note.md. (r:note.md)\n"
        "\n## Evidence\n\n"
        "[1] book.md (r:book.md:1)\nAn opening.\n\n"
        "[2] book.md > mills (r:book.md:2)\nMills grind.\n\n"
        "[3] book.md > mills (r:book.md:3)\nSlowly.\n\n"
        "[4] note.md (r:note.md:1)\nA note.\n"
    )
    layers = [(item.layer, item.number) for item in context.items]
    assert layers == [("concept", 0)] * 2 + [("evidence", n) for n in (1, 2, 3, 4)]


@pytest.mark.requirement(32)
@given(texts, st.integers(1, 300), st.sampled_from([WORDS, LetterCounter(), AWKWARD]))
@example([["a", "b", "c"], ["d"]], 150, AWKWARD)
def test_a_context_never_has_more_tokens_than_its_budget(
    rows: list[list[str]], max_tokens: int, tokens: TokenCounter
) -> None:
    found = evidence(*(document(f"r:{n}", *row) for n, row in enumerate(rows)))
    context = assemble(found, tokens, max_tokens=max_tokens)
    assert context.tokens == tokens.count(context.text) <= max_tokens
    assert (context.max_tokens, context.tokenizer) == (max_tokens, tokens.name)


@pytest.mark.requirement(32)
@pytest.mark.requirement(33)
@given(texts, st.integers(1, 300), st.sampled_from([WORDS, AWKWARD]))
def test_every_piece_is_an_item_or_an_omission_with_a_reason(
    rows: list[list[str]], max_tokens: int, tokens: TokenCounter
) -> None:
    found = evidence(*(document(f"r:{n}", *row) for n, row in enumerate(rows)))
    context = assemble(found, tokens, max_tokens=max_tokens)
    pieces = [node.concept.id for node in found.nodes]
    pieces += [chunk.id for node in found.nodes for chunk in node.chunks]
    message = [item.id for item in context.items] + [one.id for one in context.omitted]
    assert sorted(message) == sorted(pieces)
    assert all(one.reason for one in context.omitted)


@pytest.mark.requirement(32)
def test_tokens_are_counted_on_the_page_not_on_its_pieces() -> None:
    found = evidence(*(document(f"r:{n}", "x") for n in range(6)))
    context = assemble(found, LetterCounter(blank=30), max_tokens=200)
    dropped = [one.id for one in context.omitted if "the text takes" in one.reason]
    assert [item.id for item in context.items] == ["r:0@0", "r:1@0", "r:2@0", "r:3@0"]
    assert dropped == ["r:5@0", "r:4@0"]


@pytest.mark.requirement(32)
def test_a_context_that_uses_its_whole_budget_is_complete() -> None:
    found = evidence(document("r:a", "word " * 100))
    whole = assemble(found)
    tight = assemble(found, max_tokens=whole.tokens)
    assert (tight.text, tight.tokens, tight.omitted) == (whole.text, whole.tokens, ())
    assert len(assemble(found, max_tokens=whole.tokens - 1).items) == 1


@pytest.mark.requirement(32)
@given(texts, st.integers(1, 300))
def test_each_documents_share_is_reported(rows: list[list[str]], max_tokens: int) -> None:
    found = evidence(*(document(f"r:{n}", *row) for n, row in enumerate(rows)))
    context = assemble(found, max_tokens=max_tokens)
    assert sum(len(one.concepts) + len(one.chunks) for one in context.documents) == len(
        context.items
    )
    assert sum(share.tokens for share in context.documents) == sum(
        item.tokens for item in context.items
    )
    assert len({share.document_id for share in context.documents}) == len(context.documents)


@pytest.mark.requirement(32)
def test_sections_report_under_their_document() -> None:
    plan = plan_seeds(ask("why?"), seeds("r:book.md#mills"))
    context = assemble(fetch_evidence(plan, world(BOOK).texts(plan)))
    assert [share.document_id for share in context.documents] == ["r:book.md"]


@pytest.mark.requirement(32)
def test_documents_are_in_the_plans_order_also_without_their_concepts() -> None:
    """Of the first document only a chunk fits: its summary takes more than concepts may."""
    both = evidence(document("r:a", "word"), document("r:b", "word"))
    concept = replace(both.nodes[0].concept, summary="long " * 60)
    first = replace(both.nodes[0], concept=concept)
    context = assemble(replace(both, nodes=(first, both.nodes[1])), max_tokens=60)
    assert [one.document_id for one in context.documents] == ["r:a", "r:b"]
    assert [item.id for item in context.items] == ["r:b", "r:a@0", "r:b@0"]
    assert [(len(one.concepts), len(one.chunks)) for one in context.documents] == [(0, 1), (1, 1)]


@pytest.mark.requirement(33)
def test_every_item_has_its_reasons() -> None:
    place = world(BOOK, NOTE, edges=[edge("r:book.md", "r:note.md", "explains")])
    plan = expand_relationships(ask("why?"), seeds("r:book.md"), place.graph, place.search)
    context = assemble(fetch_evidence(plan, place.texts(plan)))
    for item in context.items:
        seed = item.document_id == "r:book.md"
        assert item.why.rule == (
            "seed 1 of 1" if seed else "r:book.md ->explains-> r:note.md (depth 1)"
        )
        assert item.why.access == "readable by group local"
        assert " tokens, " in item.why.budget


@pytest.mark.requirement(30)
def test_evidence_of_expanded_documents_reaches_the_context() -> None:
    place = world(BOOK, NOTE, edges=[edge("r:book.md", "r:note.md")])
    plan = expand_relationships(ask("why?"), seeds("r:book.md"), place.graph, place.search)
    context = assemble(fetch_evidence(plan, place.texts(plan)))
    assert "r:note.md@0" in [item.id for item in context.items if item.layer == "evidence"]


@pytest.mark.requirement(32)
@given(texts, st.integers(1, 300))
def test_a_number_on_the_page_is_the_number_of_its_item(
    rows: list[list[str]], max_tokens: int
) -> None:
    found = evidence(*(document(f"r:{n}", *row) for n, row in enumerate(rows)))
    context = assemble(found, max_tokens=max_tokens)
    cited = [item for item in context.items if item.layer == "evidence"]
    assert [item.number for item in cited] == list(range(1, len(cited) + 1))
    at = 0
    for item in cited:
        at = context.text.index(f"[{item.number}] ", at)


def test_items_are_in_the_plans_order() -> None:
    context = assemble(evidence(BOOK, NOTE))
    assert [item.id for item in context.items] == [
        "r:book.md",
        "r:note.md",
        "r:book.md@0",
        "r:book.md#mills@1",
        "r:book.md#mills@2",
        "r:note.md@0",
    ]


@pytest.mark.requirement(26)
def test_no_evidence_gives_an_empty_context_with_a_reason() -> None:
    context = assemble(evidence())
    assert (context.text, context.tokens, context.items) == ("", 0, ())
    assert context.reason == "no seeds: nothing visible matches"


@pytest.mark.requirement(32)
def test_a_budget_that_is_too_small_for_everything_is_the_reason() -> None:
    context = assemble(evidence(BOOK), max_tokens=1)
    assert context.items == ()
    assert context.reason == "nothing fits into 1 tokens"


@pytest.mark.requirement(31)
def test_whole_texts_fit_on_the_page_as_well() -> None:
    plan = plan_seeds(ask("why?"), seeds("r:note.md"))
    context = assemble(fetch_node_texts(plan, world(NOTE).texts(plan), WORDS))
    assert context.text.endswith("[1] note.md (r:note.md:1)\nA note.\n")


@pytest.mark.requirement(32)
@pytest.mark.requirement(41)
def test_a_context_past_its_budget_violates_the_contract() -> None:
    context = assemble(evidence(NOTE))
    assert within_budget(context)
    assert not within_budget(replace(context, max_tokens=context.tokens - 1))
