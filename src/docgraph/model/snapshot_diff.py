"""What one reader sees gained, lost and changed between two snapshots."""

from collections.abc import Mapping
from dataclasses import dataclass

from docgraph.model.edge import Edge


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two: documents with a digest of their text, and the edges that hold."""

    documents: Mapping[str, str]
    edges: frozenset[Edge]


@dataclass(frozen=True, slots=True)
class SnapshotDiff:
    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]
    gained: tuple[Edge, ...]
    lost: tuple[Edge, ...]


def compare_snapshots(old: Side, new: Side) -> SnapshotDiff:
    both = old.documents.keys() & new.documents.keys()
    return SnapshotDiff(
        added=tuple(sorted(new.documents.keys() - both)),
        removed=tuple(sorted(old.documents.keys() - both)),
        changed=tuple(sorted(d for d in both if old.documents[d] != new.documents[d])),
        gained=tuple(sorted(new.edges - old.edges)),
        lost=tuple(sorted(old.edges - new.edges)),
    )
