"""The writers of one branch in memory, as stand-ins for a store's: one class per port."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from docgraph.model.access import LOCAL, AccessChanges, AccessRule, AccessStatement, intersect_rules
from docgraph.model.access_policy import AccessFileRules
from docgraph.model.document import Document
from docgraph.model.edge import SHARES_ENTITY, Edge, Relationship
from docgraph.model.embedding_state import EmbeddingState
from docgraph.model.link import merge_edges
from docgraph.model.question import EmbedderIdentity
from docgraph.model.reference import Reference, ReferenceCount, UnresolvedReference
from docgraph.model.snapshot import SnapshotName, SourceLocation
from docgraph.model.vector import IntVector
from docgraph.ports.writes import (
    BuiltDocument,
    CurrentText,
    EmbeddedDocument,
    PendingDocument,
    SourceRevision,
    StoredDocument,
    StoredTexts,
    text_key,
)
from tests.support.expected_edges import (
    counted_references,
    definitions_by_key,
    expected_edges,
    is_resolved,
    nodes_of,
)


@dataclass
class MemoryBranch:
    """What the writers share: documents of the new and of the newest snapshot, by path."""

    built: dict[str, BuiltDocument] = field(default_factory=dict)
    newest: dict[str, BuiltDocument] = field(default_factory=dict)
    before: dict[str, BuiltDocument] = field(default_factory=dict)
    changed: bool = False

    def documents(self) -> dict[str, Document]:
        return {path: self.built[path].document for path in sorted(self.built)}

    def is_new(self, path: str) -> bool:
        return self.built[path] is not self.newest.get(path)

    def written_last(self, path: str) -> bool:
        """For the new snapshot, or, where nothing was written for it, for the newest."""
        return self.built[path] is not (self.newest if self.changed else self.before).get(path)

    def publish(self) -> None:
        self.changed = False
        self.before, self.newest = self.newest, dict(self.built)


class MemoryEmbeddingWriter:
    """A version is the position of a path among all that were ever written."""

    def __init__(self, branch: MemoryBranch | None = None) -> None:
        self.vectors: dict[str, IntVector] = {}
        self._branch = branch or MemoryBranch()
        self._paths: list[str] = []
        self._summaries: dict[int, IntVector] = {}

    def find(self, keys: Sequence[str]) -> dict[str, IntVector]:
        return {key: self.vectors[key] for key in keys if key in self.vectors}

    def add(self, vectors: Mapping[str, IntVector]) -> None:
        self.vectors.update(vectors)

    def _version(self, path: str) -> int:
        if path not in self._paths:
            self._paths.append(path)
        return self._paths.index(path)

    def pending(self) -> tuple[PendingDocument, ...]:
        return tuple(
            PendingDocument(
                self._version(path),
                path,
                built.document.embedding_priority,
                len(built.chunk_texts) + len(built.node_texts),
                len(built.document.text),
                self._version(path) in self._summaries,
            )
            for path, built in sorted(self._branch.built.items())
            if not built.node_vectors
        )

    def state(self) -> EmbeddingState:
        all_ = self._branch.newest.values()
        done = [one for one in all_ if one.node_vectors]
        pending = {one.path for one in self.pending() if one.is_summarized}
        return EmbeddingState(
            len(all_),
            len(done) + len(pending),
            len(done),
            sum(len(one.chunk_texts) for one in all_),
            sum(len(one.chunk_texts) for one in done),
        )

    def texts(self, versions: Sequence[int]) -> tuple[StoredTexts, ...]:
        documents = [(one, self._branch.built[self._paths[one]].document) for one in versions]
        return tuple(StoredTexts(one, found.nodes, found.chunks) for one, found in documents)

    def summaries(self, versions: Sequence[int]) -> dict[int, IntVector]:
        return {one: self._summaries[one] for one in versions if one in self._summaries}

    def add_summaries(self, vectors: Mapping[int, IntVector]) -> None:
        self._summaries.update(vectors)

    def add_documents(self, documents: Sequence[EmbeddedDocument]) -> None:
        for one in documents:
            self.add(dict(one.chunks))
            path = self._paths[one.version]
            self._branch.built[path] = replace(self._branch.built[path], node_vectors=one.nodes)


class MemoryAccessWriter:
    """`by_path` holds the statements."""

    def __init__(self, branch: MemoryBranch) -> None:
        self._branch = branch
        self.by_path: dict[str, tuple[AccessStatement, ...]] = {}
        self._file_rules: AccessFileRules | None = None
        self._defaults: tuple[AccessStatement, ...] | None = None

    def statements(self) -> dict[str, tuple[AccessStatement, ...]]:
        return dict(self.by_path)

    def set_statements(
        self, statements: Mapping[str, tuple[AccessStatement, ...]], *, may_open: bool = True
    ) -> None:
        self._branch.changed |= any(self.by_path[p] != own for p, own in statements.items())
        self.by_path.update(statements)

    def set_file_rules(self, rules: AccessFileRules | None) -> None:
        self._branch.changed |= rules != self._file_rules
        self._file_rules = rules

    def file_rules(self) -> AccessFileRules | None:
        return self._file_rules

    def default_statements(self) -> tuple[AccessStatement, ...] | None:
        return self._defaults

    def set_default_statements(self, statements: tuple[AccessStatement, ...]) -> None:
        self._branch.changed |= statements != self._defaults
        self._defaults = statements

    def changes(self) -> AccessChanges:
        return AccessChanges()

    def effective_rule(self, path: str, statements: tuple[AccessStatement, ...]) -> AccessRule:
        return intersect_rules(LOCAL, statements)


class MemoryDocumentWriter:
    """`batches` counts the documents of each `add`; `searched` how often texts were read: those
    written now, and those stored before."""

    def __init__(
        self, branch: MemoryBranch, embeddings: MemoryEmbeddingWriter, access: MemoryAccessWriter
    ) -> None:
        self._branch = branch
        self._embeddings = embeddings
        self._access = access
        self.batches: list[int] = []
        self.searched: Counter[str] = Counter()

    def by_path(self) -> dict[str, Document]:
        return self._branch.documents()

    def stored(self) -> dict[str, StoredDocument]:
        return {
            path: StoredDocument(path, document.fingerprint, text_key(document.text))
            for path, document in self.by_path().items()
        }

    def add(self, documents: Sequence[BuiltDocument]) -> None:
        self._branch.changed = True
        self.batches.append(len(documents))
        for built in documents:
            known = built.chunk_keys() if built.node_vectors else ()
            assert all(key in self._embeddings.vectors for key in known)
            self._branch.built[built.document.path] = built
            self._access.by_path[built.document.path] = built.document.statements

    def remove(self, paths: Iterable[str]) -> None:
        for path in paths:
            self._branch.changed = True
            del self._branch.built[path]

    def current_texts(self, *, new: bool) -> Iterator[CurrentText]:
        self.searched["new" if new else "old"] += 1
        for path, document in self.by_path().items():
            if self._branch.is_new(path) == new:
                root = document.nodes[0]
                yield CurrentText(
                    path, root.id, root.kind, root.title, document.text, document.source_lines
                )

    def existing_nodes(self, ids: Iterable[str]) -> frozenset[str]:
        return nodes_of(self.by_path().values()).intersection(ids)


class MemoryReferenceWriter:
    def __init__(self, branch: MemoryBranch) -> None:
        self._branch = branch
        self.miners: frozenset[str] = frozenset()

    def add(self, references: Mapping[str, Sequence[Reference]]) -> None:
        """The newest version of a document gets them too, and stays that version."""
        for path, further in references.items():
            old = self._branch.built[path]
            combined = dict.fromkeys((*old.document.references, *further))
            new = replace(old, document=replace(old.document, references=tuple(combined)))
            self._branch.built[path] = new
            if self._branch.newest.get(path) is old:
                self._branch.newest[path] = new

    def titles(self) -> dict[str, bool]:
        newest = _titles(self._branch.newest.values())
        return {title: title in newest for title in sorted(_titles(self._branch.built.values()))}

    def counts(self) -> tuple[ReferenceCount, ...]:
        resolved: Counter[tuple[str, str]] = Counter()
        unresolved: Counter[tuple[str, str]] = Counter()
        for _, references in self._positions():
            name = (min(one.miner for one in references), references[0].relation)
            resolved[name] += self._is_resolved(references)
            unresolved[name] += self._is_unresolved(references)
        return tuple(
            ReferenceCount(*name, resolved[name], unresolved[name])
            for name in sorted(resolved + unresolved)
        )

    def unresolved(self, relation: str, limit: int) -> tuple[UnresolvedReference, ...]:
        found = [
            UnresolvedReference(
                path, references[0].line, f"{relation} {min(one.text for one in references)}"
            )
            for path, references in self._positions()
            if references[0].relation == relation and self._is_unresolved(references)
        ]
        return tuple(found[:limit])

    def unresolved_calls(self) -> int:
        documents = self._branch.documents().items()
        return sum(
            document.unresolved_calls
            for path, document in documents
            if self._branch.written_last(path)
        )

    def set_miners(self, miners: frozenset[str]) -> None:
        self._branch.changed |= miners != self.miners
        self.miners = miners

    def _positions(self) -> Iterator[tuple[str, list[Reference]]]:
        """References on the same characters, by path and position."""
        for path, document in self._branch.documents().items():
            if self._branch.written_last(path):
                positions: dict[tuple[int, int, int, str], list[Reference]] = {}
                for one in counted_references(document, self.miners):
                    if one.relation != SHARES_ENTITY:
                        position = (one.line, one.start, one.end, one.relation)
                        positions.setdefault(position, []).append(one)
                yield from ((path, positions[position]) for position in sorted(positions))

    def _is_resolved(self, references: Sequence[Reference]) -> bool:
        documents = self._branch.documents().values()
        definitions, nodes = definitions_by_key(documents), nodes_of(documents)
        return any(is_resolved(one, definitions, nodes) for one in references)

    def _is_unresolved(self, references: Sequence[Reference]) -> bool:
        return any(one.target.report_unresolved for one in references) and not self._is_resolved(
            references
        )


class MemoryEdgeWriter:
    def __init__(self, branch: MemoryBranch) -> None:
        self._branch = branch
        self.imported: tuple[Relationship, ...] = ()

    def replace_imported(self, edges: Iterable[Relationship]) -> None:
        new = tuple(edges)
        self._branch.changed |= new != self.imported
        self.imported = new

    def add_manual(self, edges: Sequence[Relationship]) -> None:
        raise AssertionError("an ingest writes no manual edges")

    def remove_manual(self, edges: Sequence[Edge]) -> int:
        raise AssertionError("an ingest removes no manual edges")


class MemoryWriter:
    """A snapshot writer: what was added is stored once it is published."""

    def __init__(self) -> None:
        self.branch = MemoryBranch()
        self.embeddings = MemoryEmbeddingWriter(self.branch)
        self.access = MemoryAccessWriter(self.branch)
        self.documents = MemoryDocumentWriter(self.branch, self.embeddings, self.access)
        self.references = MemoryReferenceWriter(self.branch)
        self.edges = MemoryEdgeWriter(self.branch)
        self.revision = SourceRevision()
        self.published = 0

    @property
    def is_first(self) -> bool:
        return not self.published

    @property
    def embedder(self) -> EmbedderIdentity | None:
        return None

    @property
    def source(self) -> SourceLocation | None:
        return None

    def set_source(self, source: SourceLocation | None) -> None:
        raise AssertionError("an ingest leaves its source to the engine")

    def relationships(self) -> tuple[Relationship, ...]:
        """Every edge of the new snapshot, before ambiguity is resolved."""
        documents = self.branch.documents().values()
        return merge_edges(
            (*expected_edges(documents, self.references.miners), *self.edges.imported)
        )

    def has_changes(self, revision: SourceRevision | None = None) -> bool:
        return self.branch.changed or not self.published or revision not in (None, self.revision)

    def publish(self, revision: SourceRevision | None = None) -> SnapshotName:
        self.revision = revision or self.revision
        self.published += 1
        self.branch.publish()
        return SnapshotName("r", "main", self.published)


def _titles(documents: Iterable[BuiltDocument]) -> frozenset[str]:
    keys = (definition.key for built in documents for definition in built.document.definitions)
    return frozenset(key.removeprefix("title:") for key in keys if key.startswith("title:"))
