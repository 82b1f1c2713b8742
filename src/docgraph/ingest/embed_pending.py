"""Embeds what a branch holds and has no vectors of, in stages; each ends with a snapshot.

First the summaries of documents, then whole documents by priority: source and docs, tests, vendored
and generated files. Stages follow from the files alone, never from the time that they take. No lock
is held while vectors are computed, and what was computed before an interruption stays.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from docgraph.ingest.build_document import node_text_to_embed, texts_to_embed
from docgraph.ingest.embedding import TextVectors, node_vectors
from docgraph.ingest.progress import EMBEDDINGS, Askable, Progress, ReportProgress, no_progress
from docgraph.model.embedding_state import EmbeddingState
from docgraph.model.errors import WrongEmbedder
from docgraph.model.snapshot import SnapshotName
from docgraph.model.vector import IntVector
from docgraph.ports.cancellation import check_cancelled
from docgraph.ports.models import Embedder, VectorCache
from docgraph.ports.source import SourceProblem
from docgraph.ports.writes import (
    EmbeddedDocument,
    PendingDocument,
    SnapshotWriter,
    StoredTexts,
    text_key,
)

BATCH_TEXTS = 1_024  # that are read, computed and written together, of whole documents
OpenWriter = Callable[[], AbstractContextManager[SnapshotWriter]]
FindProblems = Callable[[SnapshotWriter, Sequence[str]], Sequence[SourceProblem]]


@dataclass(frozen=True, slots=True)
class EmbeddingResult:
    """`snapshot` is the last one that was published, None if there was nothing to embed; `state`
    is that of the branch's newest snapshot. `problems` name documents that were left out."""

    snapshot: SnapshotName | None
    vectors: int
    state: EmbeddingState
    problems: tuple[SourceProblem, ...]


class EmbeddingJob:
    """Of one branch. `find_problems` says which paths the embedder must not get."""

    def __init__(
        self,
        open_writer: OpenWriter,
        embedder: Embedder,
        cache: VectorCache,
        *,
        find_problems: FindProblems = lambda _writer, _paths: (),
        progress: ReportProgress = no_progress,
    ) -> None:
        self._open_writer = open_writer
        self._embedder = embedder
        self._cache = cache
        self._find_problems = find_problems
        self._progress = progress
        self._snapshot: SnapshotName | None = None
        self._problems: dict[str, SourceProblem] = {}
        self._vectors = 0
        self._done = self._total = self._size = self._total_size = 0

    def run(self) -> EmbeddingResult:
        with self._open_writer() as writer:
            if writer.embedder not in (None, self._embedder.identity):
                raise WrongEmbedder(
                    f"the newest snapshot was embedded by {writer.embedder}, and this is "
                    f"{self._embedder.identity}; ingest the source again"
                )
            pending = self._allowed(writer, writer.embeddings.pending())
            state = writer.embeddings.state()
        self._total = sum(one.texts for one in pending)
        self._total_size = sum(one.size for one in pending)
        if pending:
            self._report(0, 0)
            self._embed_summaries([one for one in pending if not one.is_summarized])
            for priority in sorted({one.priority for one in pending}):
                self._embed_documents([one for one in pending if one.priority == priority])
            with self._open_writer() as writer:
                state = writer.embeddings.state()
        problems = tuple(self._problems[path] for path in sorted(self._problems))
        return EmbeddingResult(self._snapshot, self._vectors, state, problems)

    def _allowed(
        self, writer: SnapshotWriter, documents: Sequence[PendingDocument]
    ) -> list[PendingDocument]:
        found = self._find_problems(writer, [one.path for one in documents])
        self._problems.update((problem.path, problem) for problem in found)
        refused = {problem.path for problem in found}
        return [one for one in documents if one.path not in refused]

    def _embed_summaries(self, documents: Sequence[PendingDocument]) -> None:
        for batch in _batches(documents, lambda _: 1):
            stored, _ = self._read(batch)
            texts = {one.version: node_text_to_embed("", one.nodes[0]) for one in stored}
            vectors = TextVectors([tuple(texts.values())])
            self._compute(vectors)
            found = zip(texts, vectors.vectors_of(texts.values()), strict=True)
            with self._open_writer() as writer:
                writer.embeddings.add_summaries(dict(found))
            self._report(len(stored), 0)
        self._publish()

    def _embed_documents(self, documents: Sequence[PendingDocument]) -> None:
        for batch in _batches(documents, lambda one: one.texts):
            stored, summaries = self._read(batch)
            embedded = self._embed(stored, summaries)
            with self._open_writer() as writer:
                writer.embeddings.add_documents(embedded)
            texts = sum(one.texts - one.is_summarized for one in batch)
            self._report(texts, sum(one.size for one in batch))
        self._publish()

    def _read(
        self, batch: Sequence[PendingDocument]
    ) -> tuple[tuple[StoredTexts, ...], dict[int, IntVector]]:
        """Access rules may have changed since the job began."""
        check_cancelled()
        with self._open_writer() as writer:
            versions = [one.version for one in self._allowed(writer, batch)]
            return writer.embeddings.texts(versions), writer.embeddings.summaries(versions)

    def _embed(
        self, stored: Sequence[StoredTexts], summaries: dict[int, IntVector]
    ) -> list[EmbeddedDocument]:
        texts = [texts_to_embed(one.nodes, one.chunks) for one in stored]
        # The vector of a document's summary is stored; its text comes first among those of nodes.
        known = {one.version: summaries.get(one.version) for one in stored}
        asked = [
            (*chunks, *nodes[known[one.version] is not None :])
            for one, (chunks, nodes) in zip(stored, texts, strict=True)
        ]
        vectors = TextVectors(asked)
        keys = [tuple(map(text_key, chunks)) for chunks, _ in texts]
        with self._open_writer() as writer:
            vectors.find(writer.embeddings.find(sorted({key for some in keys for key in some})))
        self._compute(vectors)
        return [
            self._embedded(one, own, chunks, nodes, vectors, known[one.version])
            for one, own, (chunks, nodes) in zip(stored, keys, texts, strict=True)
        ]

    @staticmethod
    def _embedded(
        one: StoredTexts,
        keys: Sequence[str],
        chunks: Sequence[str],
        nodes: Sequence[str],
        vectors: TextVectors,
        summary: IntVector | None,
    ) -> EmbeddedDocument:
        of_chunks = vectors.vectors_of(chunks)
        first = [] if summary is None else [summary]
        own = [*first, *vectors.vectors_of(nodes[len(first) :])]
        return EmbeddedDocument(
            one.version,
            node_vectors(one.nodes, one.chunks, of_chunks, own),
            tuple(zip(keys, of_chunks, strict=True)),
        )

    def _compute(self, vectors: TextVectors) -> None:
        vectors.find(self._cache.find(vectors.missing))
        vectors.compute(self._embedder, self._cache.add)
        self._vectors += vectors.computed

    def _publish(self) -> None:
        """Others may have published what this stage has added."""
        with self._open_writer() as writer:
            if not writer.has_changes():
                return
            self._snapshot = writer.publish()
            self._progress(Askable(self._snapshot, writer.embeddings.state()))

    def _report(self, texts: int, size: int) -> None:
        self._done += texts
        self._size += size
        total, total_size = self._total, self._total_size
        self._progress(Progress(EMBEDDINGS, self._done, total, 0, self._size, total_size))


def _batches(
    documents: Sequence[PendingDocument], texts: Callable[[PendingDocument], int]
) -> Iterator[list[PendingDocument]]:
    """Of at least one document each."""
    batch: list[PendingDocument] = []
    count = 0
    for one in documents:
        if batch and count + texts(one) > BATCH_TEXTS:
            yield batch
            batch, count = [], 0
        batch.append(one)
        count += texts(one)
    if batch:
        yield batch
