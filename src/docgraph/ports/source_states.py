"""What the last ingest of each branch read, and whether its source has changed since."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from docgraph.model.snapshot import SourceLocation
from docgraph.model.source_state import SourceState
from docgraph.ports.writes import SourceRevision


@dataclass(frozen=True, slots=True)
class BranchKey:
    tenant: str
    repository: str
    branch: str


@dataclass(frozen=True, slots=True)
class IngestedSource:
    """The signatures of files by path, as the ingest listed them; none for a commit.

    `kinds` are suffixes, and names without one, of files that an ingest reads: no other new file
    counts as a change.
    """

    location: SourceLocation
    revision: SourceRevision
    signatures: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    kinds: tuple[str, ...] = ()


class SourceStates(Protocol):
    def record(self, key: BranchKey, source: IngestedSource) -> None: ...

    def find(self, key: BranchKey, most_files: int | None, /) -> SourceState:
        """Looks at the source now; unknown where it has more files than `most_files`."""
        ...


class NoSourceStates:
    """Of a store that keeps none: all is unknown."""

    def record(self, key: BranchKey, source: IngestedSource) -> None: ...

    def find(self, key: BranchKey, _: int | None, /) -> SourceState:
        return SourceState(key.repository, key.branch, "unknown")
