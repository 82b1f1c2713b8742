"""Embedding built documents: each distinct text once, what is stored already not again."""

from collections.abc import Sequence
from dataclasses import dataclass

from docgraph.ingest.build import Built
from docgraph.model.document import Document
from docgraph.model.vector import IntVector, joined
from docgraph.ports.embedder import Embedder
from docgraph.ports.writes import EmbeddedDocument, Writes, text_key


@dataclass(frozen=True, slots=True)
class Embedded:
    """`computed` counts the vectors that were not stored before."""

    documents: tuple[EmbeddedDocument, ...]
    computed: int


def embed(batch: Sequence[Built], writes: Writes, embedder: Embedder) -> Embedded:
    """Every vector is remembered before anyone puts the documents."""
    texts = {
        text_key(text): text for built in batch for text in (*built.chunk_texts, *built.node_texts)
    }
    vectors = writes.vectors(sorted(texts))
    missing = sorted(texts.keys() - vectors.keys())
    fresh = embedder.embed([texts[key] for key in missing]) if missing else []
    computed = dict(zip(missing, fresh, strict=True))
    writes.remember(computed)
    vectors = vectors | computed
    documents = (
        EmbeddedDocument(built.document, built.chunk_texts, node_vectors(built, vectors))
        for built in batch
    )
    return Embedded(tuple(documents), len(computed))


def node_vectors(built: Built, vectors: dict[str, IntVector]) -> tuple[IntVector, ...]:
    """A node's summary joined with every chunk inside it, those of inner nodes too."""
    inside = _chunks_inside(built.document)
    chunks = [vectors[text_key(text)] for text in built.chunk_texts]
    return tuple(
        joined(vectors[text_key(text)], (chunks[index] for index in inside[node.id]))
        for node, text in zip(built.document.nodes, built.node_texts, strict=True)
    )


def _chunks_inside(document: Document) -> dict[str, list[int]]:
    inside: dict[str, list[int]] = {node.id: [] for node in document.nodes}
    parents = {node.id: node.parent for node in document.nodes}
    for index, chunk in enumerate(document.chunks):
        node: str | None = chunk.node
        while node is not None:
            inside[node].append(index)
            node = parents[node]
    return inside
