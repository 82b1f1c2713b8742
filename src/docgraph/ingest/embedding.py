"""Embedding built documents: each distinct text once, what is stored already not again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from docgraph.model.document import Document
from docgraph.model.vector import IntVector, combine
from docgraph.ports.models import Embedder
from docgraph.ports.writes import BuiltDocument, EmbeddingWriter, text_key


@dataclass(frozen=True, slots=True)
class Embedded:
    """`computed` counts the vectors that were not stored before."""

    documents: tuple[BuiltDocument, ...]
    computed: int


def embed(
    batch: Sequence[BuiltDocument], embeddings: EmbeddingWriter, embedder: Embedder
) -> Embedded:
    """Adds the vector of every chunk and summary; the documents have those of their nodes."""
    chunk_keys = [built.chunk_keys() for built in batch]
    node_keys = [tuple(map(text_key, built.node_texts)) for built in batch]
    texts: dict[str, str] = {}
    for built, chunks, nodes in zip(batch, chunk_keys, node_keys, strict=True):
        texts.update(zip(chunks, built.chunk_texts, strict=True))
        texts.update(zip(nodes, built.node_texts, strict=True))
    vectors, computed = _vectors(texts, embeddings, embedder)
    documents = (
        replace(
            built,
            node_vectors=node_vectors(
                built.document, [vectors[k] for k in chunks], [vectors[k] for k in nodes]
            ),
        )
        for built, chunks, nodes in zip(batch, chunk_keys, node_keys, strict=True)
    )
    return Embedded(tuple(documents), computed)


def _vectors(
    texts: Mapping[str, str], embeddings: EmbeddingWriter, embedder: Embedder
) -> tuple[dict[str, IntVector], int]:
    """The vector of every text, and how many of them nobody knew."""
    known = embeddings.find(sorted(texts))
    missing = sorted(texts.keys() - known.keys())
    fresh = embedder.embed([texts[key] for key in missing]) if missing else []
    computed = dict(zip(missing, fresh, strict=True))
    embeddings.add(computed)
    return known | computed, len(computed)


def node_vectors(
    document: Document, chunks: Sequence[IntVector], summaries: Sequence[IntVector]
) -> tuple[IntVector, ...]:
    """A node's summary joined with every chunk inside it, those of inner nodes too."""
    places = {node.id: place for place, node in enumerate(document.nodes)}
    own = np.array(summaries)
    totals = np.zeros(own.shape, dtype=np.int64)
    counts = [0] * len(own)
    rows = list(totals)
    for chunk, vector in zip(document.chunks, chunks, strict=True):
        place = places[chunk.node]
        rows[place] += vector
        counts[place] += 1
    # Parents stand before their children, so that inner sums are whole when they are passed on.
    for place in range(len(rows) - 1, 0, -1):
        parent = document.nodes[place].parent
        if parent is not None:
            rows[places[parent]] += rows[place]
            counts[places[parent]] += counts[place]
    return tuple(combine(own, totals, np.array(counts)))
