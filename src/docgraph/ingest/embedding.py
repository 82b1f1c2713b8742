"""Embeds built documents: each distinct text once, and only texts without a stored vector."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from docgraph.model.document import Document
from docgraph.model.vector import IntVector, combine
from docgraph.ports.models import Embedder
from docgraph.ports.writes import BuiltDocument, EmbeddingWriter, text_key


@dataclass(frozen=True, slots=True)
class EmbeddedBatch:
    """`computed` counts the vectors that were not stored before."""

    documents: tuple[BuiltDocument, ...]
    computed: int


def embed(
    batch: Sequence[BuiltDocument], embeddings: EmbeddingWriter, embedder: Embedder
) -> EmbeddedBatch:
    """Adds the vector of every chunk and summary; the documents have those of their nodes."""
    chunk_keys = [built.chunk_keys() for built in batch]
    node_keys = [tuple(map(text_key, built.node_texts)) for built in batch]
    texts: dict[str, str] = {}
    for built, chunks, nodes in zip(batch, chunk_keys, node_keys, strict=True):
        texts.update(zip(chunks, built.chunk_texts, strict=True))
        texts.update(zip(nodes, built.node_texts, strict=True))
    vectors, computed = _find_or_compute(texts, embeddings, embedder)
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
    texts: Mapping[str, str], embeddings: EmbeddingWriter, embedder: Embedder
) -> tuple[dict[str, IntVector], int]:
    """The vector of every text, and how many of them were computed."""
    stored = embeddings.find(sorted(texts))
    missing = sorted(texts.keys() - stored.keys())
    fresh = embedder.embed([texts[key] for key in missing]) if missing else []
    computed = dict(zip(missing, fresh, strict=True))
    embeddings.add(computed)
    return stored | computed, len(computed)


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
