"""What an ingest did, and how far it is while it does it."""

from dataclasses import dataclass

from docgraph.model.reference import ReferenceCount, UnresolvedReference
from docgraph.model.snapshot import SnapshotName
from docgraph.ports.source import SourceProblem


@dataclass(frozen=True, slots=True)
class Progress:
    """`done` of `total` files are through; `vectors` were computed and not found stored."""

    stage: str
    done: int
    total: int
    chunks: int = 0
    vectors: int = 0


@dataclass(frozen=True, slots=True)
class Renamed:
    """A text that went from one path to another."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class IngestResult:
    """`snapshot` is None when nothing changed, and nothing was published.

    `nodes`, `chunks` and `places` count what was written now; a place is where a text names
    another node. `missing` counts ends of given edges that are not there; `unresolved` shows
    them, and the first places that should be answered and are not. `opaque` counts calls that
    nothing in their file leads anywhere. `renamed` files count among `added` and `removed` too.
    `problems` name files that were left out, `remarks` files that were taken in although
    something about them is odd, `skipped` counts by suffix files that no reader reads.
    """

    snapshot: SnapshotName | None
    added: int
    changed: int
    removed: int
    unchanged: int
    renamed: tuple[Renamed, ...]
    nodes: int
    chunks: int
    vectors: int
    places: tuple[ReferenceCount, ...]
    missing: int
    unresolved: tuple[UnresolvedReference, ...]
    opaque: int
    problems: tuple[SourceProblem, ...]
    remarks: tuple[SourceProblem, ...]
    skipped: tuple[tuple[str, int], ...]

    def counts(self) -> dict[str, int]:
        return {
            "added": self.added,
            "changed": self.changed,
            "removed": self.removed,
            "unchanged": self.unchanged,
            "nodes": self.nodes,
            "chunks": self.chunks,
            "vectors": self.vectors,
            "problems": len(self.problems),
        }
