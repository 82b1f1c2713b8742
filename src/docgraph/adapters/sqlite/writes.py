"""Writes on SQLite: short batches under an unpublished number, one small transaction to publish."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np

from docgraph.adapters.named_queries import named_queries
from docgraph.adapters.sqlite.connection import FOREVER, PACKAGE
from docgraph.adapters.sqlite.edge_writer import EdgeWriter
from docgraph.adapters.sqlite.segment import pack, unpack
from docgraph.adapters.sqlite.segment_writer import SegmentWriter
from docgraph.adapters.sqlite.visible import rule_to_json
from docgraph.model.access import AccessRule
from docgraph.model.edge import Edge, Relationship
from docgraph.model.node import Location
from docgraph.model.question import EmbedderIdentity
from docgraph.model.scope import SnapshotName
from docgraph.model.vector import IntVector
from docgraph.ports.writes import EmbeddedDocument, HeldDocument, text_key

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
        self._rules: dict[str, str] = {}
        self._touched = False
        with self._transaction():
            place = {"tenant": tenant, "repository": repository, "name": branch}
            self._run("add_branch", **place)
            self._branch, self._newest = self._run("branch_of", **place).fetchone()
            self._clean()
        row = self._run("embedder_of_newest", branch=self._branch).fetchone()
        self._same_embedder = row is None or EmbedderIdentity(*row) == embedder
        self._segments = SegmentWriter(connection, self._branch, self._next)
        self._edges = EdgeWriter(connection, self._branch, self._next)

    def _run(self, query: str, **values: object) -> sqlite3.Cursor:
        return self._connection.execute(_SQL[query], values)

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
            "drop_names_of_unpublished",
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

    @property
    def changed(self) -> bool:
        return self._touched or self._newest == 0

    def held(self) -> dict[str, HeldDocument]:
        """Documents of another embedder are held without a fingerprint: all of them changed."""
        rows = self._run("held_documents", branch=self._branch, forever=FOREVER)
        return {
            path: HeldDocument(path, fingerprint if self._same_embedder else "")
            for path, fingerprint in rows
        }

    def texts(self) -> Iterator[tuple[str, str]]:
        yield from self._run("texts_of_branch", branch=self._branch, forever=FOREVER)

    def vectors(self, keys: Sequence[str]) -> dict[str, IntVector]:
        rows = self._run("stored_vectors", **self._vector_place(keys))
        return {key: unpack(blob, np.int16).astype(np.int16) for key, blob in rows}

    def remember(self, vectors: Mapping[str, IntVector]) -> None:
        place = {"tenant": self._tenant, "embedder": self._embedder.digest}
        rows = ({**place, "hash": k, "vector": pack(v, np.int16)} for k, v in vectors.items())
        with self._transaction():
            self._connection.executemany(_SQL["add_vector"], rows)

    def _vector_place(self, keys: Sequence[str]) -> dict[str, str]:
        return {
            "tenant": self._tenant,
            "embedder": self._embedder.digest,
            "hashes": json.dumps(sorted(set(keys))),
        }

    def put(self, documents: Sequence[EmbeddedDocument]) -> None:
        keys = [text_key(text) for found in documents for text in found.chunk_texts]
        with self._transaction():
            vectors = dict(self._run("vector_ids", **self._vector_place(keys)).fetchall())
            for found in documents:
                self._put(found, vectors)
        self._touched = True

    def _put(self, found: EmbeddedDocument, vectors: Mapping[str, int]) -> None:
        document = found.document
        self._end(document.path)
        ordinal = self._run(
            "add_document",
            branch=self._branch,
            path=document.path,
            id=document.id,
            content=self._content(document.text),
            fingerprint=document.fingerprint,
            born=self._next,
            forever=FOREVER,
        ).lastrowid
        assert ordinal is not None
        handles = {
            node.id: self._run(
                "add_node",
                document=ordinal,
                id=node.id,
                kind=node.kind,
                title=node.title,
                summary=node.summary,
                parent=node.parent,
                vector=pack(vector, np.int16),
                **_span(node.source),
            ).lastrowid
            or 0
            for node, vector in zip(document.nodes, found.node_vectors, strict=True)
        }
        for name in document.names:
            self._run("add_name", name=name.name, document=ordinal, node=name.node)
        vector_ids = [vectors[text_key(text)] for text in found.chunk_texts]
        for chunk, vector in zip(document.chunks, vector_ids, strict=True):
            self._run(
                "add_chunk",
                document=ordinal,
                position=chunk.position,
                id=chunk.id,
                node=chunk.node,
                heading_path=json.dumps(chunk.heading_path, ensure_ascii=False),
                vector=vector,
                **_span(chunk.location),
            )
        self._segments.add(
            ordinal, document, handles, found.chunk_texts, vector_ids, found.node_vectors
        )
        self._rules[document.path] = rule_to_json(document.rule)

    def _content(self, text: str) -> int:
        place = {"tenant": self._tenant, "hash": text_key(text)}
        self._run("add_content", **place, text=text)
        found: int = self._run("content_id", **place).fetchone()[0]
        return found

    def _end(self, path: str) -> None:
        self._run(
            "end_document", branch=self._branch, path=path, snapshot=self._next, forever=FOREVER
        )

    def drop(self, paths: Iterable[str]) -> None:
        with self._transaction():
            for path in paths:
                self._end(path)
                self._touched = True

    def set_rules(self, rules: Mapping[str, AccessRule]) -> None:
        known = dict(self._run("rules_of_branch", branch=self._branch).fetchall())
        for path, rule in rules.items():
            written = rule_to_json(rule)
            if known.get(path) != written:
                self._rules[path] = written
                self._touched = True

    def replace_mined(self, relationships: Iterable[Relationship]) -> None:
        with self._transaction():
            self._note(self._edges.replace_mined(relationships))

    def add_by_hand(self, relationships: Sequence[Relationship]) -> None:
        with self._transaction():
            self._note(self._edges.add_by_hand(relationships))

    def remove_by_hand(self, edges: Sequence[Edge]) -> int:
        with self._transaction():
            removed = self._edges.remove_by_hand(edges)
        self._note(removed)
        return removed

    def _note(self, rows: int) -> None:
        self._touched = self._touched or rows > 0

    def publish(self) -> SnapshotName:
        """Segments first; then, in one small transaction, rules, snapshot and number.

        Merging comes after: a merged segment holds published documents only.
        """
        with self._transaction():
            self._segments.flush()
        with self._transaction():
            for path, rule in self._rules.items():
                self._run("add_class", rule=rule)
                self._run("point_document", branch=self._branch, path=path, rule=rule)
            self._run(
                "add_snapshot",
                branch=self._branch,
                number=self._next,
                embedder_name=self._embedder.name,
                embedder_digest=self._embedder.digest,
                dimensions=self._embedder.dimensions,
                created=self._now(),
            )
            self._run("set_newest", branch=self._branch, number=self._next)
            self._run("count_change")
        self._newest += 1
        self._rules.clear()
        self._touched = False
        with self._transaction():
            self._segments.merge()
        self._segments = SegmentWriter(self._connection, self._branch, self._next)
        self._edges = EdgeWriter(self._connection, self._branch, self._next)
        return SnapshotName(self._repository, self._name, self._newest)


def _span(location: Location) -> dict[str, int | None]:
    return {
        "first_line": location.first_line,
        "last_line": location.last_line,
        "start": location.start,
        "stop": location.end,
        "page": location.page,
    }
