"""Okapi BM25 over visible postings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.model.scoring import Bm25
from tests.support.lexical_scores import ALL, PARAMETERS, textbook
from tests.support.memory_world import MemorySearch, world
from tests.support.sample_documents import ChunkSpec, Part, document

DEFAULT = Bm25()
texts = st.lists(st.text("ab c", max_size=12), min_size=1, max_size=6)


def scored(reads: MemorySearch, *terms: str, bm25: Bm25 = DEFAULT) -> dict[str, float]:
    return dict(reads.lexical(terms, roll_up=True, pool=ALL, bm25=bm25))


@pytest.mark.requirement(13)
@given(texts)
def test_a_chunk_scores_as_the_textbook_says(chunks: list[str]) -> None:
    reads = world(*(document(f"r:{i}", text) for i, text in enumerate(chunks))).search
    terms = ("a", "b", "c")
    for bm25 in PARAMETERS:
        for node, score in scored(reads, *terms, bm25=bm25).items():
            assert score == textbook(chunks, chunks[int(node[2:])], terms, bm25)


@pytest.mark.requirement(36)
@given(texts, texts)
def test_hidden_chunks_change_no_score(seen: list[str], unseen: list[str]) -> None:
    open_ = [document(f"r:{i}", text) for i, text in enumerate(seen)]
    secret = [document(f"s:{i}", text) for i, text in enumerate(unseen)]
    alone = world(*open_)
    among = world(*secret, *open_, hidden=[held.id for held in secret])
    assert scored(among.search, "a", "b") == scored(alone.search, "a", "b")


@given(texts)
def test_every_score_is_positive(chunks: list[str]) -> None:
    reads = world(*(document(f"r:{i}", text) for i, text in enumerate(chunks))).search
    assert all(score > 0 for score in scored(reads, "a", "b", "c").values())


def test_a_document_scores_as_its_best_chunk() -> None:
    reads = world(
        document("r:one", "lake", "a lake beside a wood", "wood"), document("r:two", "road")
    ).search
    assert scored(reads, "lake")["r:one"] == max(
        textbook(["lake", "a lake beside a wood", "wood", "road"], text, ("lake",))
        for text in ("lake", "a lake beside a wood")
    )


def test_not_rolled_up_the_owner_is_the_innermost_node() -> None:
    reads = world(document("r:one", parts=(Part("#shore", (ChunkSpec("lake"),)),))).search
    ((owner, _),) = reads.lexical(("lake",), roll_up=False, pool=ALL, bm25=DEFAULT)
    assert owner == "r:one#shore"


def test_no_terms_and_no_chunks_give_nothing() -> None:
    assert scored(world().search, "lake") == {}
    assert scored(world(document("r:one", "lake")).search) == {}
