"""Okapi BM25 over visible postings."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.model.tokenize import tokenize
from docgraph.ports.search_reads import Passages, Postings
from docgraph.search.bm25 import K1, B, bm25
from tests.support.made_documents import Part, Said, document
from tests.support.memory_world import MemorySearch, world

texts = st.lists(st.text("ab c", max_size=12), min_size=1, max_size=6)


def scored(window: MemorySearch, *terms: str) -> dict[str, float]:
    owners, scores = bm25(window.postings(terms, roll_up=True))
    return dict(zip(window.names(owners), scores.tolist(), strict=True))


def by_hand(passages: list[str], passage: str, terms: tuple[str, ...]) -> float:
    """The formula as the textbook writes it, one term after another."""
    cut = [tokenize(text) for text in passages]
    mean = sum(map(len, cut)) / len(cut)
    total = 0.0
    for term in terms:
        containing = sum(term in found for found in cut)
        frequency = tokenize(passage).count(term)
        if frequency:
            rarity = round(math.log(1 + (len(cut) - containing + 0.5) / (containing + 0.5)), 9)
            norm = K1 * (1 - B + B * float(len(tokenize(passage))) / mean)
            total += rarity * (frequency * (K1 + 1) / (frequency + norm))
    return total


@pytest.mark.requirement(13)
@given(texts)
def test_a_passage_scores_as_the_textbook_says(passages: list[str]) -> None:
    window = world(*(document(f"r:{i}", text) for i, text in enumerate(passages))).search
    for node, score in scored(window, "a", "b", "c").items():
        assert score == by_hand(passages, passages[int(node[2:])], ("a", "b", "c"))


@pytest.mark.requirement(36)
@given(texts, texts)
def test_hidden_passages_move_no_score(seen: list[str], unseen: list[str]) -> None:
    open_ = [document(f"r:{i}", text) for i, text in enumerate(seen)]
    secret = [document(f"s:{i}", text) for i, text in enumerate(unseen)]
    alone = world(*open_)
    among = world(*secret, *open_, hidden=[held.id for held in secret])
    assert scored(among.search, "a", "b") == scored(alone.search, "a", "b")


@given(texts)
def test_every_score_is_positive(passages: list[str]) -> None:
    window = world(*(document(f"r:{i}", text) for i, text in enumerate(passages))).search
    assert all(score > 0 for score in scored(window, "a", "b", "c").values())


def test_a_document_scores_as_its_best_passage() -> None:
    window = world(
        document("r:one", "lake", "a lake beside a wood", "wood"), document("r:two", "road")
    ).search
    assert scored(window, "lake")["r:one"] == max(
        by_hand(["lake", "a lake beside a wood", "wood", "road"], text, ("lake",))
        for text in ("lake", "a lake beside a wood")
    )


def test_not_rolled_up_the_owner_is_the_innermost_node() -> None:
    window = world(document("r:one", parts=(Part("#shore", (Said("lake"),)),))).search
    owners, _ = bm25(window.postings(("lake",), roll_up=False))
    assert window.names(owners) == ["r:one#shore"]


def test_no_terms_and_no_passages_give_nothing() -> None:
    owners, scores = bm25(Postings(Passages.of(np.empty(0), np.empty(0, dtype=np.int64)), ()))
    assert (owners.tolist(), scores.tolist()) == ([], [])
