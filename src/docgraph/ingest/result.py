"""The result of an ingest."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from docgraph.model.access import AccessChanges
from docgraph.model.embedding_state import EmbeddingState
from docgraph.model.reference import ReferenceCount, UnresolvedReference
from docgraph.model.snapshot import SnapshotName
from docgraph.ports.source import SourceProblem

if TYPE_CHECKING:
    from docgraph.ingest.embed_pending import EmbeddingResult


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

    `vectors` counts those that were computed, `embeddings` says how far the newest snapshot is
    embedded, and `embedding_snapshot` is the last one that was published for its vectors alone.
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
    embeddings: EmbeddingState
    embedding_snapshot: SnapshotName | None = None

    def with_embeddings(self, result: "EmbeddingResult") -> "IngestResult":
        return replace(
            self,
            vectors=self.vectors + result.vectors,
            problems=(*self.problems, *result.problems),
            embeddings=result.state,
            embedding_snapshot=result.snapshot,
        )

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
