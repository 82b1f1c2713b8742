"""Writing a branch: rows under an unpublished snapshot number, one port per kind, then publish."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from docgraph.model.access import AccessChanges, AccessRule, AccessStatement
from docgraph.model.access_policy import AccessFileRules
from docgraph.model.digest import digest_bytes
from docgraph.model.document import Chunk, Document
from docgraph.model.edge import Edge, Relationship
from docgraph.model.embedding_state import EmbeddingState
from docgraph.model.node import DocumentNode
from docgraph.model.question import EmbedderIdentity
from docgraph.model.reference import Reference, ReferenceCount, UnresolvedReference
from docgraph.model.snapshot import SnapshotName, SourceLocation
from docgraph.model.vector import IntVector


def text_key(text: str) -> str:
    """The name under which an embedded text's vector is stored."""
    return digest_bytes(text.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class BuiltDocument:
    """A document with the text to embed for each of its chunks and nodes, in their order.

    `node_vectors` has a vector per node if the document is embedded already. A chunk's vector is
    stored apart, under the `text_key` of its text.
    """

    document: Document
    chunk_texts: tuple[str, ...]
    node_texts: tuple[str, ...]
    node_vectors: tuple[IntVector, ...] = ()

    def chunk_keys(self) -> tuple[str, ...]:
        return tuple(map(text_key, self.chunk_texts))


@dataclass(frozen=True, slots=True)
class PendingDocument:
    """A version of the new snapshot that is not completely embedded.

    `texts` counts those of its nodes and chunks, `size` the characters of its own text.
    """

    version: int
    path: str
    priority: int
    texts: int
    size: int
    is_summarized: bool


@dataclass(frozen=True, slots=True)
class StoredTexts:
    """The nodes and chunks of a stored version, in the order in which they were built."""

    version: int
    nodes: tuple[DocumentNode, ...]
    chunks: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True)
class EmbeddedDocument:
    """The vectors of a version's nodes, and of its chunks with the `text_key` of each."""

    version: int
    nodes: tuple[IntVector, ...]
    chunks: tuple[tuple[str, IntVector], ...]


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """What the newest snapshot holds under a path; `content` is its text's `text_key`."""

    path: str
    fingerprint: str
    content: str


@dataclass(frozen=True, slots=True)
class CurrentText:
    """A document of the new snapshot, as mining titles in texts needs it."""

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


class DocumentWriter(Protocol):
    def stored(self) -> dict[str, StoredDocument]:
        """By path, the documents that the new snapshot has if nothing else is written."""
        ...

    def add(self, documents: Sequence[BuiltDocument]) -> None:
        """One short batch; of documents with `node_vectors`, every chunk's vector was added
        before."""
        ...

    def remove(self, paths: Iterable[str]) -> None: ...

    def current_texts(self, *, new: bool) -> Iterator[CurrentText]:
        """Documents of the new snapshot by path: those written now, or those stored before."""
        ...

    def existing_nodes(self, ids: Iterable[str]) -> frozenset[str]:
        """Those of the ids that are nodes of the new snapshot."""
        ...


class VectorWriter(Protocol):
    """Vectors of texts of one tenant and one embedder, by the `text_key` of the text."""

    def find(self, keys: Sequence[str]) -> dict[str, IntVector]:
        """Those that are stored; other keys are absent from the result."""
        ...

    def add(self, vectors: Mapping[str, IntVector]) -> None:
        """Each is stored once; a key that is stored already keeps its vector."""
        ...


class EmbeddingWriter(VectorWriter, Protocol):
    """What is embedded of the documents of the new snapshot."""

    def pending(self) -> tuple[PendingDocument, ...]:
        """By path."""
        ...

    def state(self) -> EmbeddingState:
        """Of all documents of the newest snapshot, also of those that few may read."""
        ...

    def texts(self, versions: Sequence[int]) -> tuple[StoredTexts, ...]:
        """By version."""
        ...

    def summaries(self, versions: Sequence[int]) -> dict[int, IntVector]:
        """The vectors that their summaries got, of those that have one."""
        ...

    def add_summaries(self, vectors: Mapping[int, IntVector]) -> None:
        """By version. Like the next, it leaves out versions that the new snapshot does not have,
        and those that are so far already."""
        ...

    def add_documents(self, documents: Sequence[EmbeddedDocument]) -> None: ...


class ReferenceWriter(Protocol):
    """What it counts and lists is of documents written last: after a publication, of those that it
    published."""

    def add(self, references: Mapping[str, Sequence[Reference]]) -> None:
        """Further references of current documents, by path; those stored already stay."""
        ...

    def titles(self) -> dict[str, bool]:
        """Every spelling of a title in the new snapshot; False for one that the newest lacks."""
        ...

    def counts(self) -> tuple[ReferenceCount, ...]: ...

    def unresolved(self, relation: str, limit: int) -> tuple[UnresolvedReference, ...]:
        """The first references of a relation, by path and line, that no definition matches."""
        ...

    def unresolved_calls(self) -> int:
        """Calls in that code whose target nothing in their file names."""
        ...

    def set_miners(self, miners: frozenset[str]) -> None:
        """Whose references count in the new snapshot; by default, those of the newest."""
        ...


class EdgeWriter(Protocol):
    def replace_imported(self, edges: Iterable[Relationship]) -> None:
        """Edges that came with the corpus; those of the newest snapshot that are missing end."""
        ...

    def add_manual(self, edges: Sequence[Relationship]) -> None:
        """Manual edges outlive every ingest until someone removes them."""
        ...

    def remove_manual(self, edges: Sequence[Edge]) -> int:
        """How many manual edges were removed; mined ones are not touched."""
        ...


class AccessWriter(Protocol):
    def statements(self) -> dict[str, tuple[AccessStatement, ...]]:
        """All published statements of this branch, by path; removed documents included, since
        old snapshots hold them."""
        ...

    def set_statements(
        self, statements: Mapping[str, tuple[AccessStatement, ...]], *, may_open: bool = True
    ) -> None:
        """By path, all that this branch states on who may read it; a manual rule stays.

        Takes effect when published: for documents of the new snapshot as it is, for versions that
        only older snapshots have where it is narrower than what counts for them. Where the default
        branch of the repository states something as well, both count. Unless the writer
        `may_open` it, a text that only older snapshots had stays as closed when it comes back.
        """
        ...

    def default_statements(self) -> tuple[AccessStatement, ...] | None:
        """Of new paths that no file states anything of. A new branch has those of the default
        branch; None where nothing of the repository was published."""
        ...

    def set_default_statements(self, statements: tuple[AccessStatement, ...]) -> None: ...

    def file_rules(self) -> AccessFileRules | None:
        """The last access.yaml of the branch."""
        ...

    def changes(self) -> AccessChanges:
        """What the last publication changed for documents that were there before."""
        ...

    def set_file_rules(self, rules: AccessFileRules | None) -> None:
        """The branch's access.yaml, for paths that only other branches hold."""
        ...

    def effective_rule(self, path: str, statements: tuple[AccessStatement, ...]) -> AccessRule:
        """What would be in force for a path of which this branch states so."""
        ...


class SnapshotWriter(Protocol):
    """One branch's next snapshot, by what is written."""

    @property
    def documents(self) -> DocumentWriter: ...

    @property
    def embeddings(self) -> EmbeddingWriter: ...

    @property
    def references(self) -> ReferenceWriter: ...

    @property
    def edges(self) -> EdgeWriter: ...

    @property
    def access(self) -> AccessWriter: ...

    @property
    def is_first(self) -> bool:
        """Nothing of the branch is published yet."""
        ...

    @property
    def embedder(self) -> EmbedderIdentity | None:
        """Whose vectors the newest snapshot has."""
        ...

    @property
    def source(self) -> SourceLocation | None:
        """Where the branch is filled from."""
        ...

    def set_source(self, source: SourceLocation | None) -> None:
        """Takes effect when published."""
        ...

    def has_changes(self, revision: SourceRevision | None = None) -> bool:
        """Would publishing now make a snapshot that differs from the newest?"""
        ...

    def publish(self, revision: SourceRevision | None = None) -> SnapshotName:
        """One small transaction; before it, no reader sees anything of this.

        Without a revision, that of the newest snapshot stays. The snapshot has all vectors that
        were added before.
        """
        ...
