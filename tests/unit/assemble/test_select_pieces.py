"""Which pieces enter the page, and what each decision was."""

from dataclasses import replace

import pytest

from docgraph.assemble.assemble_context import pieces_in_order, select_pieces
from docgraph.execute.fetch_evidence import fetch_evidence
from docgraph.model.evidence import RetrievedContext
from docgraph.plan.plan_seeds import plan_seeds
from tests.support.fakes import WordCounter
from tests.support.memory_world import world
from tests.support.sample_documents import SampleDocument, ask, document, seeds

HEADINGS = 4  # words in the page's two headings
CONCEPT = 6  # words in "- title (place): Summary of title."
FRAME = 3  # words around a chunk: its number, its title, its location


def evidence(*documents: SampleDocument) -> RetrievedContext:
    plan = plan_seeds(ask("why?"), seeds(*(held.id for held in documents)))
    return fetch_evidence(plan, world(*documents).texts(plan))


def words(count: int) -> str:
    return " ".join("word" for _ in range(count))


def ids(found: RetrievedContext, budget: int) -> list[str]:
    return [piece.id for piece in select_pieces(found, WordCounter(), budget)[0]]


@pytest.mark.requirement(32)
def test_concepts_are_tried_first_then_chunks_in_rounds() -> None:
    found = evidence(document("r:a", "one", "two", "three"), document("r:b", "one"))
    order = [chunk.id if chunk else node.concept.id for node, chunk, _ in pieces_in_order(found)]
    assert order == ["r:a", "r:b", "r:a@0", "r:b@0", "r:a@1", "r:a@2"]


@pytest.mark.requirement(32)
def test_concepts_take_at_most_a_quarter_of_the_budget() -> None:
    found = evidence(*(document(f"r:{n}", "x") for n in range(5)))
    budget = 4 * (HEADINGS + 2 * CONCEPT)
    chosen, omitted = select_pieces(found, WordCounter(), budget)
    assert [piece.id for piece in chosen if piece.chunk is None] == ["r:0", "r:1"]
    assert (omitted[0].id, omitted[0].reason) == (
        "r:2",
        f"{CONCEPT} tokens, 16 of 16 tokens for concepts used",
    )


@pytest.mark.requirement(31)
@pytest.mark.requirement(32)
def test_what_is_too_long_is_left_out_whole_and_a_shorter_one_enters() -> None:
    found = evidence(document("r:a", words(50)), document("r:b", words(2)))
    chosen, omitted = select_pieces(found, WordCounter(), 30)
    assert [piece.id for piece in chosen if piece.chunk] == ["r:b@0"]
    assert [(one.id, one.reason) for one in omitted if "@" in one.id] == [
        ("r:a@0", f"{50 + FRAME} tokens, 4 of 30 tokens used")
    ]


@pytest.mark.requirement(33)
def test_every_piece_records_its_tokens_and_the_tokens_used() -> None:
    (concept, chunk), _ = select_pieces(evidence(document("r:a", words(2))), WordCounter(), 100)
    assert concept.budget == "6 tokens, 10 of 100 used"
    assert chunk.budget == "5 tokens, 15 of 100 used"


@pytest.mark.requirement(33)
def test_a_node_without_a_chunk_is_omitted_and_recorded() -> None:
    found = evidence(document("r:a", "x"), document("r:b", "x"))
    bare = replace(found, nodes=(found.nodes[0], replace(found.nodes[1], chunks=())))
    _, omitted = select_pieces(bare, WordCounter(), 1000)
    assert [(one.id, one.reason) for one in omitted] == [("r:b", "no chunk of it was fetched")]
    assert ids(bare, 1000) == ["r:a", "r:a@0"]


def test_a_piece_is_chosen_or_omitted_and_never_both() -> None:
    found = evidence(*(document(f"r:{n}", words(n * 7), words(3)) for n in range(4)))
    for budget in range(1, 120):
        chosen, omitted = select_pieces(found, WordCounter(), budget)
        message = sorted([piece.id for piece in chosen] + [one.id for one in omitted])
        assert message == sorted(
            chunk.id if chunk else node.concept.id for node, chunk, _ in pieces_in_order(found)
        )
