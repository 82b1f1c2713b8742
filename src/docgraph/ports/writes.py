"""The one way to change a branch: write under an unpublished snapshot, then publish."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from docgraph.model.access import AccessRule, AccessStatement
from docgraph.model.access_policy import AccessFileRules
from docgraph.model.digest import digest_bytes
from docgraph.model.document import Document
from docgraph.model.edge import Edge, Relationship
from docgraph.model.reference import Reference, ReferenceCount, UnresolvedReference
from docgraph.model.snapshot import SnapshotName
from docgraph.model.vector import IntVector


@dataclass(frozen=True, slots=True)
class EmbeddedDocument:
    """A document with, per chunk, the text that is embedded and searched, and a vector per node.

    `chunk_keys` are the texts' `text_key`s; the chunks' vectors are those remembered under them.
    """

    document: Document
    chunk_texts: tuple[str, ...]
    chunk_keys: tuple[str, ...]
    node_vectors: tuple[IntVector, ...]


def text_key(text: str) -> str:
    """The name under which an embedded text's vector is stored."""
    return digest_bytes(text.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """What the newest snapshot holds under a path; `content` is its text's `text_key`.

    `told` is what its branch last said on who may read it.
    """

    path: str
    fingerprint: str
    content: str
    told: tuple[AccessStatement, ...] = ()


@dataclass(frozen=True, slots=True)
class CurrentText:
    """A document of the new snapshot, as mining names in texts needs it."""

    path: str
    id: str
    kind: str
    title: str
    text: str
    source_lines: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class SourceRevision:
    """The commit that a snapshot is made of; empty where there is none."""

    ref: str = ""
    revision: str = ""


class Writes(Protocol):
    def held(self) -> dict[str, StoredDocument]: ...

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

    def set_told(self, told: Mapping[str, tuple[AccessStatement, ...]]) -> None:
        """By path, all that this branch says on who may read it; a rule set by hand stays.

        Takes effect when published, and then for old snapshots too. Where the default branch of
        the repository speaks as well, both count.
        """
        ...

    def remembered(self) -> dict[str, tuple[AccessStatement, ...]]:
        """All that this branch ever said, by path, also of what is gone: old snapshots hold it."""
        ...

    def follow(self, renamed: Iterable[tuple[str, str]]) -> None:
        """What was decided by hand on an old path counts on the new one, once published."""
        ...

    def rule(self, path: str, told: tuple[AccessStatement, ...]) -> AccessRule:
        """What would be in force for a path of which this branch says so."""
        ...

    def use_access_lines(self, lines: AccessFileRules | None) -> None:
        """What the branch's access.yaml says, for paths that only other branches hold."""
        ...

    def texts(self, *, fresh: bool) -> Iterator[CurrentText]:
        """Documents that the new snapshot will hold, by path: written now, or held before."""
        ...

    def titles(self) -> dict[str, bool]:
        """Every spelling of a title in the new snapshot; False for one that the newest lacks."""
        ...

    def add_claims(self, claims: Mapping[str, Sequence[Reference]]) -> None:
        """Further claims of living documents, by path; what is claimed already stays."""
        ...

    def places(self) -> tuple[ReferenceCount, ...]: ...

    def unresolved(self, relation: str, most: int) -> tuple[UnresolvedReference, ...]:
        """The first places of a relation, by path and line, that should be answered and are not."""
        ...

    def opaque(self) -> int:
        """Calls in newly written code that nothing in their file leads anywhere."""
        ...

    def holds(self, nodes: Iterable[str]) -> frozenset[str]:
        """Those of the ids that are nodes of the new snapshot."""
        ...

    def replace_given(self, relationships: Iterable[Relationship]) -> None:
        """Edges that came with the corpus; those of the newest snapshot that are missing end."""
        ...

    def use_miners(self, miners: frozenset[str]) -> None:
        """Whose claims count in the new snapshot; without this, those that count in the newest."""
        ...

    def add_by_hand(self, relationships: Sequence[Relationship]) -> None:
        """Hand-made edges outlive every ingest until someone removes them."""
        ...

    def remove_by_hand(self, edges: Sequence[Edge]) -> int:
        """How many hand-made edges were removed; mined ones are not touched."""
        ...

    def changed(self, origin: SourceRevision | None = None) -> bool:
        """Would publishing now make a snapshot that differs from the newest?"""
        ...

    def publish(self, origin: SourceRevision | None = None) -> SnapshotName:
        """One small transaction; before it, no reader sees anything of this.

        Without an origin, that of the newest snapshot stays.
        """
        ...
