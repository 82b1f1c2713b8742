"""Embeds built documents: each distinct text once, and only texts without a stored vector."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from docgraph.model.document import Document
from docgraph.model.vector import IntVector, combine
from docgraph.ports.models import NO_VECTOR_CACHE, BatchEmbedder, Embedder, VectorCache
from docgraph.ports.writes import BuiltDocument, EmbeddingWriter, text_key


@dataclass(frozen=True, slots=True)
class EmbeddedBatch:
    """`computed` counts the vectors that were neither stored nor cached before."""

    documents: tuple[BuiltDocument, ...]
    computed: int


def embed(
    batch: Sequence[BuiltDocument],
    embeddings: EmbeddingWriter,
    embedder: Embedder,
    cache: VectorCache = NO_VECTOR_CACHE,
) -> EmbeddedBatch:
    """Adds the vector of every chunk and summary; the documents have those of their nodes."""
    chunk_keys = [built.chunk_keys() for built in batch]
    node_keys = [tuple(map(text_key, built.node_texts)) for built in batch]
    texts: dict[str, str] = {}
    for built, chunks, nodes in zip(batch, chunk_keys, node_keys, strict=True):
        texts.update(zip(chunks, built.chunk_texts, strict=True))
        texts.update(zip(nodes, built.node_texts, strict=True))
    vectors, computed = _find_or_compute(texts, embeddings, embedder, cache)
    documents = (
        replace(
            built,
            node_vectors=node_vectors(
                built.document, [vectors[k] for k in chunks], [vectors[k] for k in nodes]
            ),
        )
        for built, chunks, nodes in zip(batch, chunk_keys, node_keys, strict=True)
    )
    return EmbeddedBatch(tuple(documents), computed)


def _find_or_compute(
    texts: Mapping[str, str],
    embeddings: EmbeddingWriter,
    embedder: Embedder,
    cache: VectorCache,
) -> tuple[dict[str, IntVector], int]:
    """The vector of every text, and how many of them were computed."""
    stored = embeddings.find(sorted(texts))
    cached = cache.find(sorted(texts.keys() - stored.keys()))
    if cached:
        embeddings.add(cached)
    missing = sorted(texts.keys() - stored.keys() - cached.keys())
    computed: dict[str, IntVector] = {}

    def store(vectors: Mapping[str, IntVector]) -> None:
        cache.add(vectors)
        embeddings.add(vectors)
        computed.update(vectors)

    if missing:
        _compute({key: texts[key] for key in missing}, embedder, store)
    return stored | cached | computed, len(computed)


def _compute(
    texts: Mapping[str, str], embedder: Embedder, store: Callable[[Mapping[str, IntVector]], None]
) -> None:
    """Stores vectors as they come, so that the next ingest asks only for those that are missing."""
    keys = list(texts)

    def store_batch(start: int, vectors: Sequence[IntVector]) -> None:
        store(dict(zip(keys[start : start + len(vectors)], vectors, strict=True)))

    if isinstance(embedder, BatchEmbedder):
        embedder.embed_batches(list(texts.values()), store_batch)
    else:
        store(dict(zip(keys, embedder.embed(list(texts.values())), strict=True)))


def node_vectors(
    document: Document, chunks: Sequence[IntVector], summaries: Sequence[IntVector]
) -> tuple[IntVector, ...]:
    """Of a node's summary and every chunk inside it, those of inner nodes too."""
    index_of = {node.id: index for index, node in enumerate(document.nodes)}
    own = np.array(summaries)
    totals = np.zeros(own.shape, dtype=np.int64)
    counts = [0] * len(own)
    rows = list(totals)
    for chunk, vector in zip(document.chunks, chunks, strict=True):
        index = index_of[chunk.node]
        rows[index] += vector
        counts[index] += 1
    # Parents precede their children, so that inner sums are complete when they are added.
    for index in range(len(rows) - 1, 0, -1):
        parent = document.nodes[index].parent
        if parent is not None:
            rows[index_of[parent]] += rows[index]
            counts[index_of[parent]] += counts[index]
    return tuple(combine(own, totals, np.array(counts)))
