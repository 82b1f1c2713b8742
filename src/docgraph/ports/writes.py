"""The one way to change a branch: write under an unpublished snapshot, then publish."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from docgraph.model.access import AccessRule
from docgraph.model.document import Document
from docgraph.model.edge import Edge, Relationship
from docgraph.model.scope import SnapshotName
from docgraph.model.vector import IntVector


@dataclass(frozen=True, slots=True)
class EmbeddedDocument:
    """A document with a vector per chunk and per node, in their order."""

    document: Document
    chunk_vectors: tuple[IntVector, ...]
    node_vectors: tuple[IntVector, ...]


@dataclass(frozen=True, slots=True)
class HeldDocument:
    """What the newest snapshot holds under a path."""

    path: str
    fingerprint: str


class Writes(Protocol):
    def held(self) -> dict[str, HeldDocument]: ...

    def vectors(self, keys: Sequence[str]) -> dict[str, IntVector]:
        """Vectors already stored for these text hashes under this embedder."""
        ...

    def put(self, documents: Sequence[EmbeddedDocument], keys: Sequence[Sequence[str]]) -> None:
        """One short batch. `keys` are the text hashes of each document's chunk vectors."""
        ...

    def drop(self, paths: Iterable[str]) -> None: ...

    def set_rule(self, path: str, rule: AccessRule) -> None:
        """Takes effect at once, for old snapshots too."""
        ...

    def texts(self) -> Iterator[tuple[str, str]]: ...

    def replace_mined(self, relationships: Iterable[Relationship]) -> None: ...

    def add_edges(self, relationships: Sequence[Relationship]) -> None: ...

    def remove_edges(self, edges: Sequence[Edge]) -> int: ...

    def publish(self) -> SnapshotName:
        """One small transaction; before it, no reader sees anything of this."""
        ...
