"""The result of an ingest."""

from dataclasses import dataclass

from docgraph.model.access import AccessChanges
from docgraph.model.reference import ReferenceCount, UnresolvedReference
from docgraph.model.snapshot import SnapshotName
from docgraph.ports.source import SourceProblem


@dataclass(frozen=True, slots=True)
class Renamed:
    """A file that has another path than before, with the same text."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class IngestResult:
    """`snapshot` is None when nothing changed, and nothing was published.

    `nodes`, `chunks` and `references` count what was written now, the last by miner and relation.
    `missing` counts ends of stated edges that do not exist; `unresolved` lists them, and the
    first references that should resolve and do not. `unresolved_calls` counts calls that resolve
    to nothing by their file's imports and definitions. `renamed` files count among `added` and
    `removed` too. `problems` name files that were left out, `remarks` files that were ingested
    although something about them is odd, `skipped` counts by suffix files that no format reads.
    `access` says for how many documents that were there before the readers changed.
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
    references: tuple[ReferenceCount, ...]
    missing: int
    unresolved: tuple[UnresolvedReference, ...]
    unresolved_calls: int
    problems: tuple[SourceProblem, ...]
    remarks: tuple[SourceProblem, ...]
    skipped: tuple[tuple[str, int], ...]
    access: AccessChanges

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
