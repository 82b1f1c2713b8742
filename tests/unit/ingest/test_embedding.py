"""Each distinct text is embedded once, and a node's vector joins what is inside it."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.ingest.build_document import build_document
from docgraph.ingest.embedding import embed, node_vectors
from docgraph.model.access import LOCAL_ONLY
from docgraph.model.document import Chunk
from docgraph.model.errors import ModelError
from docgraph.model.node import SECTION, DocumentNode, Location
from docgraph.model.vector import IntVector, Sums, combine
from docgraph.ports.writes import BuiltDocument, text_key
from tests.support.small_world import statements_of
from tests.unit.ingest.fakes import HashEmbedder, parsed
from tests.unit.ingest.memory_writer import MemoryWriter

WHERE = Location("a.md", 1, 1, 0, 1)
TEXT = "# T\n\nLead.\n\n## A\n\nFirst.\n\n### B\n\nDeep.\n"


def built(path: str, text: str = TEXT) -> BuiltDocument:
    return build_document("r", path, parsed(path, text), statements_of(LOCAL_ONLY), "m")


def test_a_text_is_embedded_once_and_stored() -> None:
    writes, embedder = MemoryWriter(), HashEmbedder()
    found = embed([built("a.md"), built("b.md")], writes.embeddings, embedder)
    assert len(embedder.embedded) == len(set(embedder.embedded)) == found.computed
    again = embed([built("c.md")], writes.embeddings, embedder)
    assert again.computed == len(set(built("c.md").node_texts)), "vectors of chunks are stored"
    cache = MemoryCache()
    embed([built("a.md")], MemoryWriter().embeddings, embedder, cache)
    assert embed([built("c.md")], MemoryWriter().embeddings, embedder, cache).computed == 0


class FailingBatches(HashEmbedder):
    """Gives a first and a third text, and fails: as where requests are sent at once."""

    def embed_batches(
        self, texts: Sequence[str], on_batch: Callable[[int, Sequence[IntVector]], None]
    ) -> None:
        for start in (0, 2):
            on_batch(start, self.embed(texts[start : start + 1]))
        raise ModelError("the endpoint is gone")


class MemoryCache:
    def __init__(self) -> None:
        self.vectors: dict[str, IntVector] = {}

    def find(self, keys: Sequence[str]) -> dict[str, IntVector]:
        return {key: self.vectors[key] for key in keys if key in self.vectors}

    def add(self, vectors: Mapping[str, IntVector]) -> None:
        self.vectors.update(vectors)


def test_what_was_embedded_before_an_error_is_stored_and_cached() -> None:
    writes, cache, failing = MemoryWriter(), MemoryCache(), FailingBatches()
    with pytest.raises(ModelError, match="the endpoint is gone"):
        embed([built("a.md")], writes.embeddings, failing, cache)
    assert len(failing.embedded) == 2
    stored = writes.embeddings.find([text_key(text) for text in failing.embedded])
    assert cache.vectors.keys() == {*map(text_key, failing.embedded)}
    assert stored.keys() == cache.vectors.keys() & {*built("a.md").chunk_keys()}
    for text in failing.embedded:
        assert np.array_equal(cache.vectors[text_key(text)], HashEmbedder().embed([text])[0])
    rest = HashEmbedder()
    embed([built("a.md")], writes.embeddings, rest, cache)
    assert not {*rest.embedded} & {*failing.embedded}


def test_cached_vectors_are_stored_although_the_embedder_fails() -> None:
    whole, writes, cache = MemoryWriter(), MemoryWriter(), MemoryCache()
    embed([built("a.md")], whole.embeddings, HashEmbedder(), cache)
    known = {*cache.vectors}
    with pytest.raises(ModelError, match="the endpoint is gone"):
        embed(
            [built("a.md"), built("b.md", f"{TEXT}\nMore.\n")],
            writes.embeddings,
            FailingBatches(),
            cache,
        )
    chunks = {*built("a.md").chunk_keys()}
    assert writes.embeddings.find(sorted(known)).keys() == known & chunks == chunks


def test_a_chunks_key_is_its_texts() -> None:
    (document,) = embed([built("a.md")], MemoryWriter().embeddings, HashEmbedder()).documents
    assert document.chunk_keys() == tuple(text_key(text) for text in document.chunk_texts)


def joined_one(summary: IntVector, chunks: Sequence[IntVector]) -> IntVector:
    total: Sums = np.array([0 * summary, *chunks], dtype=np.int64).sum(axis=0, keepdims=True)
    (found,) = combine(summary[np.newaxis], total, np.array([len(chunks)]))
    return np.asarray(found, dtype=np.int16)


@pytest.mark.requirement(2)
def test_a_nodes_vector_combines_its_summary_with_every_chunk_inside_it() -> None:
    made, embedder = built("a.md"), HashEmbedder()
    chunks, own = embedder.embed(made.chunk_texts), embedder.embed(made.node_texts)
    found = node_vectors(made.document.nodes, made.document.chunks, chunks, own)
    for node, inside in enumerate((chunks, chunks[1:], chunks[2:])):
        assert np.array_equal(found[node], joined_one(own[node], inside))


@given(st.lists(st.integers(0, 8), max_size=9), st.lists(st.integers(0, 9), max_size=12))
def test_a_chunk_counts_for_every_node_around_it(above: list[int], owners: list[int]) -> None:
    """Whatever the tree: a node's parent is any of those before it."""
    parents = [None, *(position % (at + 1) for at, position in enumerate(above))]
    ids = [f"n{position}" for position in range(len(parents))]
    nodes = tuple(
        DocumentNode(own, SECTION, own, own, None if up is None else ids[up], WHERE)
        for own, up in zip(ids, parents, strict=True)
    )
    positions = [owner % len(nodes) for owner in owners]
    chunks = tuple(
        Chunk(f"c{at}", ids[position], at, (), str(at), WHERE)
        for at, position in enumerate(positions)
    )
    own = HashEmbedder().embed(ids)
    vectors = HashEmbedder().embed([chunk.id for chunk in chunks])
    found = node_vectors(nodes, chunks, vectors, own)
    for position, vector in enumerate(found):
        inside = [
            v for v, at in zip(vectors, positions, strict=True) if position in line(parents, at)
        ]
        assert np.array_equal(vector, joined_one(own[position], inside))


def line(parents: list[int | None], position: int | None) -> Iterator[int]:
    while position is not None:
        yield position
        position = parents[position]


def test_a_node_without_chunks_has_its_summarys_vector() -> None:
    writes, embedder = MemoryWriter(), HashEmbedder()
    (document,) = embed([built("p/__init__.py", "")], writes.embeddings, embedder).documents
    assert np.array_equal(document.node_vectors[0], joined_one(embedder.embed(["p"])[0], ()))


def test_nothing_to_embed_calls_no_model() -> None:
    embedder = HashEmbedder()
    assert embed([], MemoryWriter().embeddings, embedder).documents == ()
    assert embedder.embedded == []
