"""Which snapshots a question is asked of."""

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
    """Concrete snapshots, sorted; a repository stands in it once, so a node id names one node."""

    snapshots: tuple[SnapshotName, ...]

    def __post_init__(self) -> None:
        repositories = [name.repository for name in self.snapshots]
        if sorted(set(repositories)) != repositories:
            raise BadInput("a scope names each repository once, in order")


@dataclass(frozen=True, slots=True)
class SnapshotSelector:
    """What a question asks for; the store turns it into a Scope of what the reader can see.

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


# Snapshots as people see them, and what upkeep did and found.


@dataclass(frozen=True, slots=True)
class SnapshotInfo:
    """One snapshot of a branch; `documents` counts those that the asker may read.

    `ref` and `revision` name the commit it was made of, where there is one.
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
    """How much was removed for good."""

    snapshots: int
    documents: int
    texts: int
    vectors: int


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """What was looked at, by name, and everything that is wrong."""

    checked: tuple[tuple[str, int], ...]
    problems: tuple[str, ...]

    @property
    def is_sound(self) -> bool:
        return not self.problems


# What a reader can ask.


@dataclass(frozen=True, slots=True)
class Status:
    """What a reader can see: snapshots, counts, and whose vectors they are."""

    scope: Scope
    counts: Mapping[str, int]
    embedder: EmbedderIdentity | None
