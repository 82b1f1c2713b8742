"""Embedding states: their name, and what they tell a reader."""

import pytest

from docgraph.model.embedding_state import NOTHING_TO_EMBED, EmbeddingState


@pytest.mark.parametrize(
    ("state", "name"),
    [
        (NOTHING_TO_EMBED, "complete"),
        (EmbeddingState(3, 3, 3, 9, 9), "complete"),
        (EmbeddingState(3, 0, 0, 9, 0), "none"),
        (EmbeddingState(3, 1, 0, 9, 0), "partial"),
        (EmbeddingState(3, 3, 0, 9, 0), "partial"),
        (EmbeddingState(3, 3, 2, 9, 4), "partial"),
    ],
)
def test_a_state_is_named_by_how_many_documents_have_vectors(
    state: EmbeddingState, name: str
) -> None:
    assert state.name == name


def test_a_partial_state_says_how_many_documents_and_chunks_are_embedded() -> None:
    state = EmbeddingState(4_023, 4_023, 120, 71_589, 900)
    assert state.describe() == "partial: 120 of 4,023 documents, 900 of 71,589 chunks"


def test_any_other_state_is_described_by_its_name() -> None:
    assert EmbeddingState(2, 2, 2, 5, 5).describe() == "complete"
    assert EmbeddingState(2, 0, 0, 5, 0).describe() == "none"
