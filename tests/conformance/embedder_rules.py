"""What every store must do when another model takes over, with vectors of another width."""

from dataclasses import replace

import pytest

from docgraph.interfaces.auth.principals import local
from docgraph.model.question import EmbedderIdentity
from docgraph.model.snapshot import SnapshotSelector
from docgraph.ports.store import ReaderSession, Store
from docgraph.ports.writes import text_key
from docgraph.testing.small_store import hash_vector
from tests.conformance.store_rules import OVERS, vector
from tests.support.lexical_scores import scores_of
from tests.support.small_world import IDENTITY, document, embed_document, write

NARROW = 6
SMALLER = EmbedderIdentity("smaller", "2" * 64, NARROW)
WORDS = ("north wind", "east wind", "calm sea", "a storm at sea", "wind at sea", "snow", "rain")


def take_over(store: Store, path: str, words: str) -> None:
    """The same text by the smaller model, in a snapshot of its own."""
    wide = embed_document(document(path, words, sections=True))
    found = replace(wide, node_vectors=tuple(one[:NARROW] for one in wide.node_vectors))
    with store.open_writer("local", "r", "main", SMALLER) as writes:
        writes.embeddings.add(
            {text_key(text): hash_vector(text)[:NARROW] for text in found.chunk_texts}
        )
        writes.documents.add([found])
        writes.publish()


def found(reads: ReaderSession, width: int) -> list[set[str]]:
    asked = vector("wind at sea")[:width]
    return [
        {node for node, _ in reads.search.nearest(asked, over=over, roll_up=True, top=9)}
        for over in OVERS
    ]


class EmbedderRules:
    @pytest.mark.parametrize("apart", [0, 100])
    def test_vectors_of_another_dimension_replace_the_old_ones(
        self, store: Store, monkeypatch: pytest.MonkeyPatch, apart: int
    ) -> None:
        monkeypatch.setattr("docgraph.adapters.indexes.segment_cache.MOST_BLOCKS", apart)
        for number, words in enumerate(WORDS):
            with store.open_writer("local", "r", "main", IDENTITY) as writes:
                write(writes, [document(f"{number}.md", words, sections=True)])
                writes.publish()
        everything = {f"r:{number}.md" for number in range(len(WORDS))}
        for number, words in enumerate(WORDS):
            take_over(store, f"{number}.md", words)
        with store.open_session(local()) as reads:
            assert reads.embedder == SMALLER
            assert found(reads, NARROW) == [everything] * 3
            (words_found, _) = scores_of(reads.search, ("sea",), roll_up=True)
            assert len(words_found.owners) == 3
        with store.open_session(local(), (SnapshotSelector("r", "main", len(WORDS)),)) as reads:
            assert reads.embedder == IDENTITY
            assert found(reads, len(vector(""))) == [everything] * 3
        assert store.verify().problems == ()
