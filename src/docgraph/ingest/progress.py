"""Progress of an ingest as events: how far a phase is, and that questions can be asked."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from docgraph.model.embedding_state import EmbeddingState
from docgraph.model.snapshot import SnapshotName

if TYPE_CHECKING:  # who shows progress begins before numpy is imported
    from docgraph.ports.source import SourceFile, SourceProblem
    from docgraph.ports.writes import BuiltDocument

LISTING, READING, WORDS = "listing", "reading", "words"
RELATIONS, EMBEDDINGS = "relations", "embeddings"
PHASES = (LISTING, READING, WORDS, RELATIONS, EMBEDDINGS)  # in their usual order
LISTED_TOGETHER = 100  # files; listing one takes almost no time


@dataclass(frozen=True, slots=True)
class Progress:
    """`done` of `total` in the phase's unit: files that are listed or read, documents, texts to
    embed. A total is 0 while it is not known; it may be given before the phase begins.

    `size` of `total_size` is what the time of the phase depends on: bytes of files, characters of
    texts. `chunks` counts those so far.
    """

    phase: str
    done: int
    total: int
    chunks: int = 0
    size: int = 0
    total_size: int = 0


@dataclass(frozen=True, slots=True)
class Askable:
    """A snapshot was published: questions can be asked of it from now on."""

    snapshot: SnapshotName
    embeddings: EmbeddingState


ProgressEvent = Progress | Askable
ReportProgress = Callable[[ProgressEvent], None]


def no_progress(_: ProgressEvent) -> None:
    """For callers that do not want to know."""


def report_listing(
    listed: "Iterable[SourceFile | SourceProblem]", progress: ReportProgress
) -> "Iterator[SourceFile | SourceProblem]":
    """Passes on what a source lists, and reports it; nobody knows how many files there will be."""
    done = 0
    progress(Progress(LISTING, 0, 0))
    for done, one in enumerate(listed, start=1):
        if done % LISTED_TOGETHER == 0:
            progress(Progress(LISTING, done, 0))
        yield one
    progress(Progress(LISTING, done, done))


def report_reading(
    built: "Iterable[BuiltDocument | None]",
    files: "Sequence[SourceFile]",
    progress: ReportProgress,
) -> "Iterator[BuiltDocument | None]":
    """Passes on what was built of each file, and reports every file before it is passed on."""
    total_size = sum(file.size for file in files)
    size = chunks = 0
    progress(Progress(READING, 0, len(files), 0, 0, total_size))
    for done, (file, one) in enumerate(zip(files, built, strict=True), start=1):
        size += file.size
        chunks += len(one.chunk_texts) if one is not None else 0
        progress(Progress(READING, done, len(files), chunks, size, total_size))
        yield one


class SearchReport:
    """Reports the search for titles. Every text is searched for all titles at least once: new texts
    for all of them, `unchanged` ones for new titles, if there are any.

    `sizes` are those of the files of all documents, by path.
    """

    def __init__(
        self,
        sizes: Mapping[str, int],
        unchanged: frozenset[str],
        chunks: int,
        progress: ReportProgress,
    ) -> None:
        self._sizes = sizes
        self._unchanged = unchanged
        self._chunks = chunks
        self._progress = progress
        self._done = self._size = self._total = self._total_size = 0

    def begin(self, new: int, unchanged: int) -> None:
        """How often texts that are new, and unchanged ones, will be searched."""
        for path, size in self._sizes.items():
            times = unchanged if path in self._unchanged else new
            self._total += times
            self._total_size += times * size
        self._report()

    def searched(self, path: str) -> None:
        self._done += 1
        self._size += self._sizes.get(path, 0)
        self._report()

    def _report(self) -> None:
        self._progress(
            Progress(RELATIONS, self._done, self._total, self._chunks, self._size, self._total_size)
        )
