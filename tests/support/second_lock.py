"""The rows that Postgres' row security shows a reader, and those that the access rules allow."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any, LiteralString

from psycopg import sql

from docgraph.adapters.postgres.connection import Connection, connect
from docgraph.adapters.postgres.pool import Pool
from docgraph.adapters.postgres.store import PostgresStore
from docgraph.adapters.sql.access_rows import rule_from_json
from docgraph.model.access import Principal
from docgraph.model.node import document_of
from tests.interference.store_factories import OpenedStore
from tests.interference.stores import MachineStore
from tests.interference.views import BranchName
from tests.support.guarded_world import GuardedDocument, documents, fill

# Of each table, the rows that come from some documents.
DERIVED: dict[str, LiteralString] = {
    "documents": "version = ANY (%(versions)s::bigint[])",
    "document_nodes": "version = ANY (%(versions)s::bigint[])",
    "vector_chunks": "version = ANY (%(versions)s::bigint[])",
    "node_references": "version = ANY (%(versions)s::bigint[])",
    "definitions": "version = ANY (%(versions)s::bigint[])",
    "segments": "versions <@ %(versions)s::bigint[]",
    "postings": "segment IN (SELECT id FROM segments WHERE versions <@ %(versions)s::bigint[])",
    "contents": """
        id IN (SELECT content FROM documents WHERE version = ANY (%(versions)s::bigint[]))""",
    "document_embeddings": "version = ANY (%(versions)s::bigint[])",
    "summary_vectors": "version = ANY (%(versions)s::bigint[])",
    "node_vectors": "version = ANY (%(versions)s::bigint[])",
    "chunk_vectors": "version = ANY (%(versions)s::bigint[])",
    "vectors": """
        id IN (SELECT vector_id FROM chunk_vectors WHERE version = ANY (%(versions)s::bigint[]))""",
    "stated_relationships": "id = ANY (%(edges)s::bigint[])",
}
_DOCUMENTS = """
    SELECT d.version, d.valid_from, b.tenant, b.repository, b.name, d.path
    FROM documents AS d JOIN branches AS b ON b.id = d.branch
"""
_NODES = """
    SELECT n.id, b.tenant, b.repository, b.name, d.path
    FROM document_nodes AS n JOIN documents AS d ON d.version = n.version
         JOIN branches AS b ON b.id = d.branch
"""
_EDGES = """
    SELECT r.id, b.tenant, b.repository, b.name, r.source, r.target
    FROM stated_relationships AS r JOIN branches AS b ON b.id = r.branch
"""
_AS_READER = """
    SELECT set_config('docgraph.scope', json_agg(json_build_object(
               'branch', b.id, 'snapshot', b.newest_snapshot, 'newest', b.newest_snapshot,
               'miners', s.miners::json, 'last_embedding', s.last_embedding))::text, true),
           set_config('role', 'docgraph_reader', true),
           set_config('docgraph.access_classes', %s, true)
    FROM branches AS b JOIN snapshots AS s ON s.branch = b.id AND s.number = b.newest_snapshot
"""
Rows = frozenset[str]


@contextmanager
def open_second_lock(dsn: str) -> Iterator["SecondLock"]:
    """The guarded world, in a database that has nothing in it yet."""
    with closing(Pool(dsn, size=2)) as pool, closing(connect(dsn)) as owner:
        store = PostgresStore(pool, now=lambda: "now", wait=5)
        stock = MachineStore(lambda: OpenedStore(store, lambda: None))
        fill(stock)
        yield SecondLock(owner, stock)


@dataclass(frozen=True, slots=True)
class SecondLock:
    """A database, seen past everything that docgraph does to hide something."""

    owner: Connection
    stock: MachineStore

    @contextmanager
    def reader(self, classes: str) -> Iterator[Connection]:
        """Who asks for every branch."""
        with self.owner.transaction():
            self.owner.execute(_AS_READER, [classes])
            yield self.owner

    def classes(self, reader: Principal) -> str:
        found = self.owner.execute("SELECT id, rule FROM access_classes")
        return ",".join(str(n) for n, rule in found if reader.may_read(rule_from_json(rule)))

    def visible_rows(self, reader: Principal) -> dict[str, Rows]:
        """What the reader is shown of every table, which is what the rules let them read."""
        seen, readable = self.shown_rows(self.classes(reader)), self.readable(reader)
        for table in DERIVED:
            assert seen[table] == readable[table], (reader.id, table)
        return seen

    def secrets(self, reader: Principal) -> frozenset[str]:
        """Words and node ids that are of nothing but documents which the reader may not read."""
        known = documents(self.stock)
        mine = {one.mark for one in known if one.readable_by(reader)}
        nodes = [
            (BranchName(*place), path, node) for node, *place, path in self.owner.execute(_NODES)
        ]
        paths = {(one.place, one.path) for one in known if one.readable_by(reader)}
        seen = {node for place, path, node in nodes if (place, path) in paths}
        unseen = {node for place, path, node in nodes if (place, path) not in paths}
        return frozenset({one.mark for one in known} - mine | (unseen - seen))

    def shown_rows(self, classes: str) -> dict[str, Rows]:
        with self.reader(classes) as connection:
            return {table: rows(connection, table) for table in DERIVED}

    def readable(self, reader: Principal) -> dict[str, Rows]:
        """The rows of every table that come from documents which the reader may read."""
        mine = [one for one in documents(self.stock) if one.readable_by(reader)]
        paths = {(one.place, one.path): one for one in mine}
        own = [
            version
            for version, first, *place, path in self.owner.execute(_DOCUMENTS)
            if (found := paths.get((BranchName(*place), path))) is not None
            and found.is_readable(reader, first)
        ]
        edges = [
            number
            for number, *place, source, target in self.owner.execute(_EDGES)
            if all(_holds(mine, BranchName(*place), end) for end in (source, target))
        ]
        values = {"versions": own, "edges": edges}
        return {table: rows(self.owner, table, **values) for table in DERIVED}


def _holds(mine: list[GuardedDocument], place: BranchName, node: str) -> bool:
    """An end in the edge's own repository is a document of the edge's own branch."""
    document, far = document_of(node), (place.tenant, place.repository)
    return any(
        one.id == document
        and (one.place == place or (place.tenant == one.place.tenant and far != one.place[:2]))
        for one in mine
    )


def rows(connection: Connection, table: str, **values: Any) -> Rows:
    """By where they lie."""
    text = sql.SQL("SELECT ctid::text FROM {}").format(sql.Identifier(table))
    if values:
        text += sql.SQL(" WHERE ") + sql.SQL(DERIVED[table])
    return frozenset(place for (place,) in connection.execute(text, values))


def view_rows(connection: Connection, view: str) -> list[str]:
    """Every row, as text."""
    text = sql.SQL("SELECT one::text FROM {} AS one").format(sql.Identifier(view))
    return [row for (row,) in connection.execute(text)]
