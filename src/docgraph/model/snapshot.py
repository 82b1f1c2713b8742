"""Snapshots as people see them, and what upkeep did and found."""

from dataclasses import dataclass

from docgraph.model.scope import SnapshotName


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
class Pruned:
    """How much was removed for good."""

    snapshots: int
    documents: int
    texts: int
    vectors: int


@dataclass(frozen=True, slots=True)
class Verified:
    """What was looked at, by name, and everything that is wrong."""

    checked: tuple[tuple[str, int], ...]
    problems: tuple[str, ...]

    @property
    def is_sound(self) -> bool:
        return not self.problems
