"""Writes on SQLite: short batches under an unpublished number, one small transaction to publish."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from docgraph.adapters.named_queries import named_queries
from docgraph.adapters.sqlite.access_rows import told_from_json, told_to_json
from docgraph.adapters.sqlite.access_writer import AccessWriter
from docgraph.adapters.sqlite.connection import FOREVER, PACKAGE
from docgraph.adapters.sqlite.document_writer import DocumentWriter
from docgraph.adapters.sqlite.edge_writer import EdgeWriter
from docgraph.adapters.sqlite.segment import pack
from docgraph.model.access import AccessRule, Spoken
from docgraph.model.access_decision import in_force
from docgraph.model.access_lines import AccessLines
from docgraph.model.claim import Claim
from docgraph.model.edge import Edge, Relationship
from docgraph.model.places import PlaceCount, Unresolved
from docgraph.model.question import EmbedderIdentity
from docgraph.model.scope import SnapshotName
from docgraph.model.vector import IntVector
from docgraph.ports.writes import EmbeddedDocument, HeldDocument, LivingText, Origin

_SQL = named_queries(PACKAGE, "writes.sql")


class SqliteWrites:
    """One branch's next snapshot. Whoever holds this holds the store's ingest lock."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        tenant: str,
        repository: str,
        branch: str,
        embedder: EmbedderIdentity,
        now: Callable[[], str],
    ) -> None:
        self._connection = connection
        self._tenant = tenant
        self._repository = repository
        self._name = branch
        self._embedder = embedder
        self._now = now
        self._told: dict[str, str] = {}
        self._numbers: dict[str, int] = {}
        self._absent: set[str] = set()
        self._told_texts: dict[tuple[Spoken, ...], str] = {}
        self._touched = False
        with self._transaction():
            place = {"tenant": tenant, "repository": repository, "name": branch}
            self._run("add_branch", **place)
            self._branch, self._newest = self._run("branch_of", **place).fetchone()
            self._clean()
            space = {"tenant": tenant, "embedder": embedder.digest}
            self._run("add_space", **space)
            (self._space,) = self._run("space_of", **space).fetchone()
        self._access = AccessWriter(connection, tenant, repository, self._branch)
        self._renamed: list[tuple[str, str]] = []
        self._lines = self._access.lines(self._branch)
        row = self._run("newest_snapshot", branch=self._branch).fetchone()
        self._same_embedder = row is None or EmbedderIdentity(*row[:3]) == embedder
        self._miners: frozenset[str] = frozenset(json.loads(row[3])) if row else frozenset()
        self._origin = Origin(*row[4:]) if row else Origin()
        # Nobody sees a batch before it is published, so none has to be on the disk before that.
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA wal_autocheckpoint = 8000")
        connection.execute("PRAGMA cache_size = -16000")
        self._begin()

    def _begin(self) -> None:
        next_ = self._newest + 1
        self._documents = DocumentWriter(self._connection, self._tenant, self._branch, next_)
        self._edges = EdgeWriter(self._connection, self._branch, next_)

    def _run(self, query: str, **values: object) -> sqlite3.Cursor:
        return self._connection.execute(_SQL[query], values)

    def _run_here(self, query: str, **values: object) -> sqlite3.Cursor:
        place = {"branch": self._branch, "next": self._next, "forever": FOREVER}
        return self._run(query, **place, **values)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

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

    def changed(self, origin: Origin | None = None) -> bool:
        return self._touched or self._newest == 0 or origin not in (None, self._origin)

    def held(self) -> dict[str, HeldDocument]:
        """Documents of another embedder are held without a fingerprint: all of them changed."""
        told = self._access.told(self._branch)
        return {
            path: HeldDocument(
                path,
                fingerprint if self._same_embedder else "",
                content,
                told_from_json(told.get(path, "[]")),
            )
            for path, fingerprint, content in self._run_here("held_documents")
        }

    def texts(self, *, fresh: bool) -> Iterator[LivingText]:
        for path, id_, kind, title, text, mapped in self._run_here("living_texts", fresh=fresh):
            pairs = tuple((offset, line) for offset, line in json.loads(mapped or "[]"))
            yield LivingText(path, id_, kind, title, text, pairs)

    def titles(self) -> dict[str, bool]:
        return {title: bool(known) for title, known in self._run_here("offered_titles")}

    def places(self) -> tuple[PlaceCount, ...]:
        rows = self._run_here("places_claimed", miners=json.dumps(sorted(self._miners)))
        return tuple(PlaceCount(*row) for row in rows)

    def unresolved(self, relation: str, most: int) -> tuple[Unresolved, ...]:
        miners = json.dumps(sorted(self._miners))
        rows = self._run_here("places_unmet", relation=relation, most=most, miners=miners)
        return tuple(Unresolved(*row) for row in rows)

    def opaque(self) -> int:
        return int(self._run_here("opaque_calls").fetchone()[0])

    def holds(self, nodes: Iterable[str]) -> frozenset[str]:
        rows = self._run_here("living_nodes", ids=json.dumps(sorted(set(nodes))))
        return frozenset(row[0] for row in rows)

    def vectors(self, keys: Sequence[str]) -> dict[str, IntVector]:
        found: dict[str, IntVector] = {}
        for key in keys:
            row = self._stored("stored_vector", key)
            if row is None:
                self._absent.add(key)
            else:
                self._numbers[key] = row[0]
                found[key] = np.frombuffer(row[1], dtype="<i2")
        return found

    def remember(self, vectors: Mapping[str, IntVector]) -> None:
        with self._transaction():
            new = [k for k in vectors if k in self._absent or not self._stored("vector_id", k)]
            (last,) = self._run("last_vector").fetchone()
            numbers = dict(zip(new, range(last + 1, last + 1 + len(new)), strict=True))
            self._connection.executemany(
                _SQL["add_vector"],
                [
                    (number, self._space, bytes.fromhex(key), pack(vectors[key], np.int16))
                    for key, number in numbers.items()
                ],
            )
        self._numbers.update(numbers)
        self._absent.difference_update(new)

    def _stored(self, query: str, key: str) -> tuple[Any, ...] | None:
        place = (self._space, bytes.fromhex(key))
        row: tuple[Any, ...] | None = self._connection.execute(_SQL[query], place).fetchone()
        return row

    def _number(self, key: str) -> int:
        """Of a vector that is stored; most were looked up or stored a moment ago."""
        if key not in self._numbers:
            row = self._stored("vector_id", key)
            assert row is not None, "a chunk's vector is remembered before the chunk is put"
            self._numbers[key] = row[0]
        return self._numbers[key]

    def put(self, documents: Sequence[EmbeddedDocument]) -> None:
        with self._transaction():
            self._documents.put(documents, self._number)
        self._numbers.clear()
        for found in documents:
            self._told[found.document.path] = self._written(found.document.told)
        self._touched = True

    def _written(self, told: tuple[Spoken, ...]) -> str:
        """One string for all documents of which the same is said, however many they are."""
        return self._told_texts.setdefault(told, told_to_json(told))

    def add_claims(self, claims: Mapping[str, Sequence[Claim]]) -> None:
        with self._transaction():
            for path, said in claims.items():
                ordinal, document = self._run_here("living_document", path=path).fetchone()
                self._documents.add_claims(ordinal, document, said)

    def drop(self, paths: Iterable[str]) -> None:
        with self._transaction():
            for path in paths:
                self._documents.end(path)
                self._touched = True

    def set_told(self, told: Mapping[str, tuple[Spoken, ...]]) -> None:
        known = self._access.told(self._branch)
        for path, words in told.items():
            written = self._written(words)
            if known.get(path) != written:
                self._told[path] = written
                self._touched = True

    def rule(self, path: str, told: tuple[Spoken, ...]) -> AccessRule:
        words = self._access.words((path,))
        inherited = words.inherited(self._branch, path)
        return in_force(self._tenant, (*told, *inherited), words.hand(path))

    def remembered(self) -> dict[str, tuple[Spoken, ...]]:
        return {path: told_from_json(t) for path, t in self._access.told(self._branch).items()}

    def follow(self, renamed: Iterable[tuple[str, str]]) -> None:
        self._renamed.extend(renamed)

    def use_access_lines(self, lines: AccessLines | None) -> None:
        self._touched = self._touched or lines != self._lines
        self._lines = lines

    def replace_given(self, relationships: Iterable[Relationship]) -> None:
        with self._transaction():
            self._note(self._edges.replace_given(relationships))

    def add_by_hand(self, relationships: Sequence[Relationship]) -> None:
        with self._transaction():
            self._note(self._edges.add_by_hand(relationships))

    def remove_by_hand(self, edges: Sequence[Edge]) -> int:
        with self._transaction():
            removed = self._edges.remove_by_hand(edges)
        self._note(removed)
        return removed

    def use_miners(self, miners: frozenset[str]) -> None:
        self._touched = self._touched or miners != self._miners
        self._miners = miners

    def _note(self, rows: int) -> None:
        self._touched = self._touched or rows > 0

    def publish(self, origin: Origin | None = None) -> SnapshotName:
        """Segments first; then, in one small transaction, rules, snapshot and number.

        That one alone is forced to the disk, and everything before it with it.

        Merging comes after: a merged segment holds published documents only.
        """
        self._origin = origin or self._origin
        segments = self._documents.segments
        with self._transaction():
            segments.flush()
        self._connection.execute("PRAGMA synchronous = FULL")
        with self._transaction():
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
            self._run("count_change")
        self._newest += 1
        self._told.clear()
        self._renamed.clear()
        self._touched = False
        self._connection.execute("PRAGMA synchronous = NORMAL")
        with self._transaction():
            segments.merge()
        self._begin()
        return SnapshotName(self._repository, self._name, self._newest)
