"""Writing documents in short batches, so that memory and locks stay small."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from docgraph.ingest.build import Built
from docgraph.ingest.embed import embed
from docgraph.ingest.result import Progress
from docgraph.ports.embedder import Embedder
from docgraph.ports.writes import Writes

BATCH_FILES = 64
BATCH_CHUNKS = 512


@dataclass(frozen=True, slots=True)
class Written:
    nodes: int
    chunks: int
    vectors: int


def write(
    built: Iterable[Built | None],
    total: int,
    writes: Writes,
    embedder: Embedder,
    progress: Callable[[Progress], None],
) -> Written:
    """`total` files are expected; None stands for one with nothing to write."""
    files = nodes = chunks = vectors = 0
    for batch in batches(built):
        ready = embed([one for one in batch if one is not None], writes, embedder)
        if ready.documents:
            writes.put(ready.documents)
        files += len(batch)
        nodes += sum(len(found.document.nodes) for found in ready.documents)
        chunks += sum(len(found.document.chunks) for found in ready.documents)
        vectors += ready.computed
        progress(Progress("documents", files, total, chunks, vectors))
    return Written(nodes, chunks, vectors)


def batches(built: Iterable[Built | None]) -> Iterator[list[Built | None]]:
    batch: list[Built | None] = []
    chunks = 0
    for one in built:
        batch.append(one)
        chunks += len(one.chunk_texts) if one is not None else 0
        if len(batch) >= BATCH_FILES or chunks >= BATCH_CHUNKS:
            yield batch
            batch, chunks = [], 0
    if batch:
        yield batch
