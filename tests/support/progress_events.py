"""Events of an ingest as it reports them, and a clock that a test puts forward."""

from dataclasses import dataclass

from docgraph.ingest.progress import Askable
from docgraph.model.embedding_state import EmbeddingState
from docgraph.model.snapshot import SnapshotName


@dataclass(slots=True)
class Clock:
    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


def askable(snapshot: int, embedded: int, documents: int = 4, repository: str = "notes") -> Askable:
    """A fourth of the documents' chunks for each document."""
    state = EmbeddingState(documents, embedded, embedded, 3 * documents, 3 * embedded)
    return Askable(SnapshotName(repository, "main", snapshot), state)
