"""Embeds documents: each distinct text once, and only texts without a stored or cached vector."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from docgraph.model.document import Chunk
from docgraph.model.node import DocumentNode
from docgraph.model.vector import IntVector, combine
from docgraph.ports.cancellation import check_cancelled
from docgraph.ports.models import NO_VECTOR_CACHE, BatchEmbedder, Embedder, VectorCache
from docgraph.ports.writes import BuiltDocument, VectorWriter, text_key

# Of about the same length; none is waited for much longer than a second.
COMPUTED_TOGETHER = 128

StoreVectors = Callable[[Mapping[str, IntVector]], None]


@dataclass(frozen=True, slots=True)
class EmbeddedBatch:
    """`computed` counts the vectors that were neither stored nor cached before."""

    documents: tuple[BuiltDocument, ...]
    computed: int


def embed(
    batch: Sequence[BuiltDocument],
    embeddings: VectorWriter,
    embedder: Embedder,
    cache: VectorCache = NO_VECTOR_CACHE,
) -> EmbeddedBatch:
    """Adds the vector of every chunk; the documents have those of their nodes."""
    texts = TextVectors((*one.chunk_texts, *one.node_texts) for one in batch)
    chunks = {key for one in batch for key in one.chunk_keys()}
    texts.find(embeddings.find(sorted(chunks)))
    cached = texts.find(cache.find(texts.missing))
    embeddings.add(_only(cached, chunks))

    def store(vectors: Mapping[str, IntVector]) -> None:
        cache.add(vectors)
        embeddings.add(_only(vectors, chunks))

    texts.compute(embedder, store)
    documents = (
        replace(
            one,
            node_vectors=node_vectors(
                one.document.nodes,
                one.document.chunks,
                texts.vectors_of(one.chunk_texts),
                texts.vectors_of(one.node_texts),
            ),
        )
        for one in batch
    )
    return EmbeddedBatch(tuple(documents), texts.computed)


def _only(vectors: Mapping[str, IntVector], keys: Collection[str]) -> dict[str, IntVector]:
    return {key: vector for key, vector in vectors.items() if key in keys}


class TextVectors:
    """Texts by `text_key`, and the vectors of those that are known; `computed` counts new ones."""

    def __init__(self, texts: Iterable[Sequence[str]]) -> None:
        self._texts = {text_key(text): text for some in texts for text in some}
        self._vectors: dict[str, IntVector] = {}
        self.computed = 0

    @property
    def missing(self) -> list[str]:
        return sorted(self._texts.keys() - self._vectors.keys())

    def find(self, vectors: Mapping[str, IntVector]) -> Mapping[str, IntVector]:
        self._vectors.update(vectors)
        return vectors

    def compute(self, embedder: Embedder, store: StoreVectors) -> None:
        """Those that are missing. `store` gets vectors as they come, so that an ingest that ends
        early loses few of them."""
        texts = self._texts
        keys = sorted(self.missing, key=lambda key: (len(texts[key]), key))

        def store_batch(start: int, vectors: Sequence[IntVector]) -> None:
            found = dict(zip(keys[start : start + len(vectors)], vectors, strict=True))
            store(found)
            self.find(found)
            self.computed += len(found)

        if keys and isinstance(embedder, BatchEmbedder):
            embedder.embed_batches([texts[key] for key in keys], store_batch)
            return
        for start in range(0, len(keys), COMPUTED_TOGETHER):
            check_cancelled()
            some = keys[start : start + COMPUTED_TOGETHER]
            store_batch(start, embedder.embed([texts[key] for key in some]))

    def vectors_of(self, texts: Iterable[str]) -> list[IntVector]:
        return [self._vectors[text_key(text)] for text in texts]


def node_vectors(
    nodes: Sequence[DocumentNode],
    chunks: Sequence[Chunk],
    chunk_vectors: Sequence[IntVector],
    summaries: Sequence[IntVector],
) -> tuple[IntVector, ...]:
    """Of a node's summary and every chunk inside it, those of inner nodes too."""
    index_of = {node.id: index for index, node in enumerate(nodes)}
    own = np.array(summaries)
    totals = np.zeros(own.shape, dtype=np.int64)
    counts = [0] * len(own)
    rows = list(totals)
    for chunk, vector in zip(chunks, chunk_vectors, strict=True):
        index = index_of[chunk.node]
        rows[index] += vector
        counts[index] += 1
    # Parents precede their children, so that inner sums are complete when they are added.
    for index in range(len(rows) - 1, 0, -1):
        parent = nodes[index].parent
        if parent is not None:
            rows[index_of[parent]] += rows[index]
            counts[index_of[parent]] += counts[index]
    return tuple(combine(own, totals, np.array(counts)))
