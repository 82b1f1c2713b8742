"""What an ingest did, and how far it is while it does it."""

from dataclasses import dataclass

from docgraph.ingest.mine.claims import Unresolved
from docgraph.model.scope import SnapshotName
from docgraph.ports.source import Problem


@dataclass(frozen=True, slots=True)
class Progress:
    """`done` of `total` files are through; `vectors` were computed and not found stored."""

    stage: str
    done: int
    total: int
    chunks: int = 0
    vectors: int = 0


@dataclass(frozen=True, slots=True)
class IngestResult:
    """`snapshot` is None when nothing changed, and nothing was published.

    `nodes` and `chunks` count what was written now; `edges`, by relation, and `found`, by miner,
    what the snapshot holds of mined and given edges. `problems` name files that were left out,
    `remarks` files that were taken in although something about them is odd, `skipped` counts by
    suffix files that no reader reads.
    """

    snapshot: SnapshotName | None
    added: int
    changed: int
    removed: int
    unchanged: int
    nodes: int
    chunks: int
    vectors: int
    edges: tuple[tuple[str, int], ...]
    found: tuple[tuple[str, int], ...]
    unresolved: tuple[Unresolved, ...]
    problems: tuple[Problem, ...]
    remarks: tuple[Problem, ...]
    skipped: tuple[tuple[str, int], ...]
