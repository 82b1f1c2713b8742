"""Writes: short batches under an unpublished number, one small transaction to publish."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Protocol

from docgraph.adapters.sql.access_rows import told_from_json, told_to_json
from docgraph.adapters.sql.access_writer import AccessWriter, OnReclassified
from docgraph.adapters.sql.database import FOREVER, Database, Row, single_row
from docgraph.adapters.sql.document_writer import DocumentWriter
from docgraph.adapters.sql.relation_writer import EdgeWriter
from docgraph.model.access import AccessRule, AccessStatement
from docgraph.model.access_policy import AccessFileRules, effective_rule
from docgraph.model.edge import Edge, Relationship
from docgraph.model.question import EmbedderIdentity
from docgraph.model.reference import Reference, ReferenceCount, UnresolvedReference
from docgraph.model.snapshot import SnapshotName
from docgraph.model.vector import IntVector
from docgraph.ports.writes import CurrentText, EmbeddedDocument, SourceRevision, StoredDocument

_PAGE = 500  # texts that are read at once


class StoredVectors(Protocol):
    """Of one tenant and one embedder, each once."""

    def found(self, keys: Sequence[str]) -> dict[str, IntVector]: ...

    def add(self, vectors: Mapping[str, IntVector]) -> None:
        """Inside a transaction; what is stored already stays."""
        ...

    def numbers(self, keys: Iterable[str]) -> dict[str, int]:
        """Of vectors that are stored; most were looked up or stored a moment ago."""
        ...


class SqlWrites:
    """One branch's next snapshot. Whoever holds this holds the branch's ingest lock.

    `stored_vectors` opens a space of vectors by its number. `moved` is told of paths that were
    decided on, before that is published. `classed` says that rows carry their document's class.
    """

    def __init__(
        self,
        database: Database,
        tenant: str,
        repository: str,
        branch: str,
        embedder: EmbedderIdentity,
        now: Callable[[], str],
        *,
        stored_vectors: Callable[[int], StoredVectors],
        moved: OnReclassified = lambda _branch, _paths: None,
        classed: bool = False,
    ) -> None:
        self._database = database
        self._sql = database.queries("writes.sql")
        self._classed = classed
        self._tenant = tenant
        self._repository = repository
        self._name = branch
        self._embedder = embedder
        self._now = now
        self._told: dict[str, str] = {}
        self._told_texts: dict[tuple[AccessStatement, ...], str] = {}
        self._touched = False
        with self._batch():
            place = {"tenant": tenant, "repository": repository, "name": branch}
            self._run("add_branch", **place)
            self._branch, self._newest = single_row(self._sql.row("branch_of", **place))
            self._clean()
            space = {"tenant": tenant, "embedder": embedder.digest}
            self._run("add_space", **space)
            self._vectors = stored_vectors(single_row(self._sql.row("space_of", **space))[0])
        self._access = AccessWriter(database, tenant, repository, writing=self._branch, moved=moved)
        self._renamed: list[tuple[str, str]] = []
        self._lines = self._access.lines(self._branch)
        row = self._sql.row("newest_snapshot", branch=self._branch)
        self._same_embedder = row is None or EmbedderIdentity(*row[:3]) == embedder
        self._miners: frozenset[str] = frozenset(json.loads(row[3])) if row else frozenset()
        self._origin = SourceRevision(*row[4:]) if row else SourceRevision()
        # Nobody sees a batch before it is published, so none has to be on the disk before that.
        database.durable(False)
        self._begin()

    @contextmanager
    def _batch(self) -> Iterator[None]:
        """All of it or nothing; meanwhile no document's class changes."""
        with self._database.transaction():
            self._sql.row("keep_classes", tenant=self._tenant)
            yield

    def _begin(self) -> None:
        next_ = self._newest + 1
        self._documents = DocumentWriter(self._database, self._tenant, self._branch, next_)
        self._edges = EdgeWriter(self._database, self._branch, next_)

    def _run(self, query: str, **values: object) -> int:
        return self._sql.run(query, **values)

    def _here(self, query: str, **values: object) -> list[Row]:
        place = {"branch": self._branch, "next": self._next, "forever": FOREVER}
        return self._sql.rows(query, **place, **values)

    def _clean(self) -> None:
        """Removes what an ingest that did not finish left behind; nobody ever saw it."""
        for query in (
            "drop_postings_of_unpublished",
            "drop_unpublished_segments",
            "drop_chunks_of_unpublished",
            "drop_offers_of_unpublished",
            "drop_claims_of_unpublished",
            "drop_nodes_of_unpublished",
            "drop_unpublished_documents",
            "drop_unpublished_relationships",
        ):
            self._run(query, branch=self._branch, newest=self._newest)
        for query in ("revive_documents", "revive_relationships"):
            self._run(query, branch=self._branch, newest=self._newest, forever=FOREVER)

    @property
    def _next(self) -> int:
        return int(self._newest) + 1

    def changed(self, origin: SourceRevision | None = None) -> bool:
        return self._touched or self._newest == 0 or origin not in (None, self._origin)

    def held(self) -> dict[str, StoredDocument]:
        """Documents of another embedder are held without a fingerprint: all of them changed."""
        told = self._access.told(self._branch)
        return {
            path: StoredDocument(
                path,
                fingerprint if self._same_embedder else "",
                content,
                told_from_json(told.get(path, "[]")),
            )
            for path, fingerprint, content in self._here("held_documents")
        }

    def texts(self, *, fresh: bool) -> Iterator[CurrentText]:
        after = ""
        while page := self._here("living_texts", fresh=int(fresh), after=after, most=_PAGE):
            for path, id_, kind, title, text, mapped in page:
                pairs = tuple((offset, line) for offset, line in json.loads(mapped or "[]"))
                yield CurrentText(path, id_, kind, title, text, pairs)
            after = page[-1][0]

    def titles(self) -> dict[str, bool]:
        return {title: bool(known) for title, known in self._here("offered_titles")}

    def places(self) -> tuple[ReferenceCount, ...]:
        rows = self._here("places_claimed", miners=sorted(self._miners))
        return tuple(ReferenceCount(*row) for row in rows)

    def unresolved(self, relation: str, most: int) -> tuple[UnresolvedReference, ...]:
        miners = sorted(self._miners)
        rows = self._here("places_unmet", relation=relation, most=most, miners=miners)
        return tuple(UnresolvedReference(*row) for row in rows)

    def opaque(self) -> int:
        return int(self._here("opaque_calls")[0][0])

    def holds(self, nodes: Iterable[str]) -> frozenset[str]:
        rows = self._here("living_nodes", ids=sorted(set(nodes)))
        return frozenset(row[0] for row in rows)

    def vectors(self, keys: Sequence[str]) -> dict[str, IntVector]:
        return self._vectors.found(keys)

    def remember(self, vectors: Mapping[str, IntVector]) -> None:
        with self._database.transaction():
            self._vectors.add(vectors)

    def put(self, documents: Sequence[EmbeddedDocument]) -> None:
        told = {
            found.document.path: self._written(found.document.statements) for found in documents
        }
        numbers = self._vectors.numbers(key for found in documents for key in found.chunk_keys)
        with self._batch():
            self._documents.put(documents, numbers, self._classes(told))
        self._told.update(told)
        self._touched = True

    def _classes(self, told: Mapping[str, str]) -> dict[str, int]:
        """What the documents' classes will be, as far as one can tell before they are published."""
        if not self._classed:
            return {}
        rules = self._access.rules(self._branch, told)
        numbers = {rule: self._access.number(rule) for rule in sorted(set(rules.values()))}
        return {path: numbers[rule] for path, rule in rules.items()}

    def _written(self, told: tuple[AccessStatement, ...]) -> str:
        """One string for all documents of which the same is said, however many they are."""
        return self._told_texts.setdefault(told, told_to_json(told))

    def add_claims(self, claims: Mapping[str, Sequence[Reference]]) -> None:
        with self._batch():
            self._documents.add_claims(claims)

    def drop(self, paths: Iterable[str]) -> None:
        with self._batch():
            gone = list(paths)
            self._documents.end(gone)
        self._touched = self._touched or bool(gone)

    def set_told(self, told: Mapping[str, tuple[AccessStatement, ...]]) -> None:
        known = self._access.told(self._branch)
        for path, words in told.items():
            written = self._written(words)
            if known.get(path) != written:
                self._told[path] = written
                self._touched = True

    def rule(self, path: str, told: tuple[AccessStatement, ...]) -> AccessRule:
        words = self._access.words((path,))
        inherited = words.inherited(self._branch, path)
        return effective_rule(self._tenant, (*told, *inherited), words.hand(path))

    def remembered(self) -> dict[str, tuple[AccessStatement, ...]]:
        return {path: told_from_json(t) for path, t in self._access.told(self._branch).items()}

    def follow(self, renamed: Iterable[tuple[str, str]]) -> None:
        self._renamed.extend(renamed)

    def use_access_lines(self, lines: AccessFileRules | None) -> None:
        self._touched = self._touched or lines != self._lines
        self._lines = lines

    def replace_given(self, relationships: Iterable[Relationship]) -> None:
        with self._batch():
            self._note(self._edges.replace_given(relationships))

    def add_by_hand(self, relationships: Sequence[Relationship]) -> None:
        with self._batch():
            self._note(self._edges.add_by_hand(relationships))

    def remove_by_hand(self, edges: Sequence[Edge]) -> int:
        with self._batch():
            removed = self._edges.remove_by_hand(edges)
        self._note(removed)
        return removed

    def use_miners(self, miners: frozenset[str]) -> None:
        self._touched = self._touched or miners != self._miners
        self._miners = miners

    def _note(self, rows: int) -> None:
        self._touched = self._touched or rows > 0

    def publish(self, origin: SourceRevision | None = None) -> SnapshotName:
        """Segments first; then, in one small transaction, rules, snapshot and number.

        That one is forced to the disk, and everything before it with it.

        Merging comes after: a merged segment holds published documents only.
        """
        self._origin = origin or self._origin
        segments = self._documents.segments
        with self._batch():
            segments.flush()
        self._database.durable(True)
        with self._database.transaction():
            self._run("count_change", tenant=self._tenant)
            self._access.say(self._told, self._lines)
            self._access.follow(self._renamed)
            self._run(
                "add_snapshot",
                branch=self._branch,
                number=self._next,
                embedder_name=self._embedder.name,
                embedder_digest=self._embedder.digest,
                dimensions=self._embedder.dimensions,
                created=self._now(),
                miners=json.dumps(sorted(self._miners)),
                ref=self._origin.ref,
                revision=self._origin.revision,
            )
            self._run("set_newest", branch=self._branch, number=self._next)
        self._newest += 1
        self._told.clear()
        self._renamed.clear()
        self._touched = False
        self._merge()
        self._database.durable(False)
        self._begin()
        return SnapshotName(self._repository, self._name, self._newest)

    def _merge(self) -> None:
        """A change, so that readers look for segments anew; they keep them by their numbers, so
        this has to outlive a crash as well."""
        segments = self._documents.segments
        if segments.crowded():
            with self._database.transaction():
                self._run("count_change", tenant=self._tenant)
                segments.merge(segments.crowded())  # a class that changed meanwhile divides them
