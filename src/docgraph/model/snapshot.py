"""Snapshots: their names, how a question selects them, and what maintenance reports."""

from collections.abc import Mapping
from dataclasses import dataclass

from docgraph.model.errors import BadInput
from docgraph.model.question import EmbedderIdentity


@dataclass(frozen=True, slots=True, order=True)
class SnapshotName:
    repository: str
    branch: str
    snapshot: int


@dataclass(frozen=True, slots=True)
class Scope:
    """Snapshots, sorted, one for each repository: so a node id names one node."""

    snapshots: tuple[SnapshotName, ...]

    def __post_init__(self) -> None:
        repositories = [name.repository for name in self.snapshots]
        if sorted(set(repositories)) != repositories:
            raise BadInput("a scope names each repository once, in order")


@dataclass(frozen=True, slots=True)
class SnapshotSelector:
    """Snapshots that a question names; the store resolves it to a Scope of visible ones.

    `repository=None` means every repository with something visible; `branch=None` means `main`,
    else `master`, else the first branch by name that holds something visible; `snapshot=None`
    means the newest.
    """

    repository: str | None = None
    branch: str | None = None
    snapshot: int | None = None

    def __post_init__(self) -> None:
        if self.snapshot is not None and (self.repository is None or self.branch is None):
            raise BadInput("a snapshot number needs its repository and branch beside it")


ALL_REPOSITORIES: tuple[SnapshotSelector, ...] = (SnapshotSelector(),)


@dataclass(frozen=True, slots=True)
class SnapshotInfo:
    """One snapshot of a branch; `documents` counts those that the reader may see.

    `ref` and `revision` name the commit it was made from, where there is one.
    """

    name: SnapshotName
    created: str
    ref: str
    revision: str
    embedder: str
    miners: tuple[str, ...]
    documents: int


@dataclass(frozen=True, slots=True)
class PruneResult:
    """How many rows were deleted.

    `pending` are document versions whose rows an external index still holds: it could not be
    reached, and removes them at the next ingest.
    """

    snapshots: int
    documents: int
    texts: int
    vectors: int
    pending: int = 0


@dataclass(frozen=True, slots=True)
class ReindexResult:
    """How many rows the external vector index was filled with."""

    index: str
    rows: int


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """How many rows were checked, by name, and the problems found."""

    checked: tuple[tuple[str, int], ...]
    problems: tuple[str, ...]

    @property
    def is_sound(self) -> bool:
        return not self.problems


@dataclass(frozen=True, slots=True)
class Status:
    """What a reader can see: snapshots, counts, and the model of the vectors."""

    scope: Scope
    counts: Mapping[str, int]
    embedder: EmbedderIdentity | None
