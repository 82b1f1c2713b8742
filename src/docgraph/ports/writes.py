"""The one way to change a branch: write under an unpublished snapshot, then publish."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from docgraph.model.access import AccessRule
from docgraph.model.digest import digest_bytes
from docgraph.model.document import Document
from docgraph.model.edge import Edge, Relationship
from docgraph.model.scope import SnapshotName
from docgraph.model.vector import IntVector


@dataclass(frozen=True, slots=True)
class EmbeddedDocument:
    """A document with, per chunk, the text that is embedded and searched, and a vector per node.

    The chunks' vectors are those remembered under their texts' `text_key`.
    """

    document: Document
    chunk_texts: tuple[str, ...]
    node_vectors: tuple[IntVector, ...]


def text_key(text: str) -> str:
    """The name under which an embedded text's vector is stored."""
    return digest_bytes(text.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class HeldDocument:
    """What the newest snapshot holds under a path."""

    path: str
    fingerprint: str


class Writes(Protocol):
    def held(self) -> dict[str, HeldDocument]: ...

    def vectors(self, keys: Sequence[str]) -> dict[str, IntVector]:
        """Vectors already stored under these keys for this embedder; others are absent."""
        ...

    def remember(self, vectors: Mapping[str, IntVector]) -> None:
        """Stores vectors by the `text_key` of the embedded text, once within the tenant."""
        ...

    def put(self, documents: Sequence[EmbeddedDocument]) -> None:
        """One short batch; every chunk's vector must have been remembered before."""
        ...

    def drop(self, paths: Iterable[str]) -> None: ...

    def set_rules(self, rules: Mapping[str, AccessRule]) -> None:
        """By path. Takes effect when published, and then for old snapshots too."""
        ...

    def texts(self) -> Iterator[tuple[str, str]]:
        """(path, text) of every document that the new snapshot will hold, by path."""
        ...

    def replace_mined(self, relationships: Iterable[Relationship]) -> None:
        """The mined edges of the new snapshot; those of the old one that are missing end."""
        ...

    def add_by_hand(self, relationships: Sequence[Relationship]) -> None:
        """Hand-made edges outlive every ingest until someone removes them."""
        ...

    def remove_by_hand(self, edges: Sequence[Edge]) -> int:
        """How many hand-made edges were removed; mined ones are not touched."""
        ...

    @property
    def changed(self) -> bool:
        """Would publishing now make a snapshot that differs from the newest?"""
        ...

    def publish(self) -> SnapshotName:
        """One small transaction; before it, no reader sees anything of this."""
        ...
