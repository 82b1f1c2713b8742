"""Checksums of stored rows, on both stores: a changed row is found, and never gets a new one."""

import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from docgraph.adapters.postgres.pool import Pool
from docgraph.adapters.postgres.server_tables import PostgresApiKeyStore, PostgresIngestJobQueue
from docgraph.adapters.postgres.store import PostgresStore
from docgraph.adapters.sql.checksums import covered_columns
from docgraph.adapters.sql.database import named_queries
from docgraph.adapters.sqlite.server_tables import SqliteApiKeyStore, SqliteIngestJobQueue
from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.engine import Engine
from docgraph.engine.administration import Administration
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import AccessRule, Person
from docgraph.model.edge import Edge
from docgraph.model.errors import DamagedStore
from docgraph.model.snapshot import SourceLocation
from docgraph.pipeline.load import load
from docgraph.pipeline.request import QuestionRequest
from docgraph.ports.auth import ApiKeyStore
from docgraph.ports.job_queue import IngestJobQueue
from docgraph.ports.store import Store
from tests.conformance.ingest_job_rules import make_job
from tests.conformance.key_rules import ANNS, BOBS, HASH
from tests.support.engines import make_engine
from tests.support.memory_audit import administration
from tests.support.memory_source import MemorySource

FILES = {
    "queue.md": "# Queue\n\nUploads wait. See [worker](worker.md), RET-0002.\n\n## Pause\n\nNo.\n",
    "worker.md": "# Worker\n\nIt takes uploads from the Queue.\n",
    "code/app.py": "from code.lib import chill\n\n\ndef put():\n    return chill()\n",
    "code/lib.py": 'def chill():\n    """Cool it."""\n    return 4\n',
    "access.yaml": '- path: "**"\n  readers: [staff, local]\n',
}
LATER = {**FILES, "queue.md": FILES["queue.md"].replace("No.", "Yes.")}
MANUAL = Edge("r:queue.md", "explains", "r:worker.md")
SERVER_TABLES = ("api_keys", "ingest_jobs")
# Tables by the name under which checksums.sql has them; an external index alone fills an outbox.
COVERED = [
    name
    for name in (*named_queries("docgraph.adapters.sql", "queries/checksums.sql"), *SERVER_TABLES)
    if not name.startswith("next_") and name not in {"index_outbox", "contents"}
]
ELSEWHERE = {("documents", "hash"), ("chunk_vectors", "hash")}  # columns of the table they refer to
PARTS = ("document_nodes", "vector_chunks", "definitions", "node_references", "postings")


class Installation:
    """A store with something in every table; `raw` runs a statement past docgraph."""

    def __init__(
        self, store: Store, keys: ApiKeyStore, jobs: IngestJobQueue, raw: Callable[[str, str], Any]
    ) -> None:
        self.engine: Engine = make_engine(store)
        self.administration: Administration = administration(self.engine)
        self.raw = raw
        for files in (FILES, LATER):
            self.ingest(files)
        self.ingest(FILES, "topic")
        self.engine.content.add_relation(local(), MANUAL)
        self.administration.set_access(
            local(), "r", ("worker.md",), AccessRule("local", frozenset({"staff", "local"}))
        )
        self.administration.add_person(local(), Person("ann", "local", frozenset({"staff"})))
        self.administration.set_source(local(), "r", "topic", SourceLocation("/notes", "topic"))
        for key in (ANNS, BOBS):
            keys.add(key, HASH)
        jobs.add(make_job(1))
        jobs.add(make_job(2))
        job = jobs.claim("one", 600)
        assert job is not None
        assert jobs.finish(job.id, "one", result='{"done": true}')

    def ingest(self, files: dict[str, str], branch: str = "main") -> None:
        self.engine.content.ingest(
            local(),
            MemorySource(files),
            repository="r",
            branch=branch,
            otherwise=AccessRule("local", frozenset({"local"})),
            embed="none",
        )
        self.engine.content.embed(local(), "r", branch)

    def problems(self) -> tuple[str, ...]:
        return self.engine.content.store.verify().problems


@contextmanager
def on_sqlite(folder: Path) -> Iterator[Installation]:
    path = folder / "store.db"
    server = Path(f"{path}.server")

    def raw(table: str, statement: str) -> Any:
        with closing(sqlite3.connect(server if table in SERVER_TABLES else path)) as connection:
            found = connection.execute(statement)
            rows = found.fetchall() if found.description else found.rowcount
            connection.commit()
            return rows

    jobs = SqliteIngestJobQueue(server, now=lambda: "now", clock=lambda: 0.0)
    store = SqliteStore(path, now=lambda: "now")
    yield Installation(store, SqliteApiKeyStore(server), jobs, raw)


@contextmanager
def on_postgres(dsn: str) -> Iterator[Installation]:
    with closing(Pool(dsn)) as pool, psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("SET search_path = docgraph, public")

        def raw(_: str, statement: str) -> Any:
            found = connection.execute(statement.encode())
            return found.fetchall() if found.description else found.rowcount

        store = PostgresStore(pool, now=lambda: "now")
        yield Installation(store, PostgresApiKeyStore(pool), PostgresIngestJobQueue(pool), raw)


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Installation]:
    if request.param == "sqlite":
        with on_sqlite(tmp_path) as made:
            yield made
    else:
        with on_postgres(request.getfixturevalue("database")) as made:
            yield made


def changes(column: str, value: object) -> tuple[str, str]:
    """How a column with such a value is changed, and changed back."""
    match column, value:
        case _, int():
            return f"{column} + 1000", f"{column} - 1000"
        case "vector", str():  # as psycopg shows it
            one = "array_fill(1::real, ARRAY[vector_dims(vector)])::vector"
            return f"vector + {one}", f"vector - {one}"
        case _, str():
            return f"{column} || 'x'", f"substr({column}, 1, length({column}) - 1)"
        case _:
            return "", ""


def test_a_changed_value_of_every_column_is_found(place: Installation) -> None:
    assert place.problems() == ()
    seen: set[str] = set()
    for table in COVERED:
        name = "documents" if table == "document_states" else table
        for column in covered_columns(table):
            if (table, column) in ELSEWHERE:
                continue
            rows = place.raw(
                name, f"SELECT {column} FROM {name} WHERE {column} IS NOT NULL LIMIT 1"
            )
            if not rows:
                continue
            change, back = changes(column, rows[0][0])
            if not change:
                continue
            only = f"WHERE {column} IS NOT NULL"
            try:
                place.raw(name, f"UPDATE {name} SET {column} = {change} {only}")
            except (psycopg.errors.IntegrityError, psycopg.errors.GeneratedAlways):
                continue  # Postgres refuses
            assert any("checksum" in one for one in place.problems()), (table, column)
            place.raw(name, f"UPDATE {name} SET {column} = {back} {only}")
            assert place.problems() == (), (table, column)
            seen.add(table)
    assert seen >= set(COVERED) - {"segments", "postings", "default_statements"}


@pytest.mark.parametrize("change", ["hash = hash || ' '", "text = {other}", "text = {unreadable}"])
def test_a_changed_text_is_found(place: Installation, change: str) -> None:
    """On SQLite texts are compressed: another one, and one that cannot be read."""
    compresses = isinstance(place.engine.content.store, SqliteStore)
    other = f"x'{zlib.compress(b'other').hex()}'" if compresses else "'other'"
    unreadable = "zeroblob(9)" if compresses else "''"
    set_ = change.format(other=other, unreadable=unreadable)
    place.raw("contents", f"UPDATE contents SET {set_}")
    assert any("texts differ from their checksum" in one for one in place.problems())


@pytest.mark.parametrize(
    ("table", "column"),
    [("segments", "arrays"), ("postings", "chunks"), ("postings", "frequencies")],
)
def test_a_changed_segment_is_found(place: Installation, table: str, column: str) -> None:
    (data,) = place.raw(table, f"SELECT {column} FROM {table} LIMIT 1")[0]
    changed = bytes([*data[:-1], data[-1] ^ 1])
    literal = "x'{}'" if isinstance(place.engine.content.store, SqliteStore) else "'\\x{}'::bytea"
    new, old = literal.format(changed.hex()), literal.format(data.hex())
    place.raw(table, f"UPDATE {table} SET {column} = {new} WHERE {column} = {old}")
    assert any("differs from its checksum" in one for one in place.problems())


@pytest.mark.parametrize("table", PARTS)
def test_a_missing_row_is_found(place: Installation, table: str) -> None:
    key = {"document_nodes": "handle", "postings": "term"}.get(table, "version")
    statement = f"DELETE FROM {table} WHERE {key} = (SELECT max({key}) FROM {table})"
    if table == "document_nodes" and isinstance(place.engine.content.store, PostgresStore):
        with pytest.raises(psycopg.errors.ForeignKeyViolation):
            place.raw(table, statement)
        statement = f"DELETE FROM node_vectors; DELETE FROM summary_vectors; {statement}"
    place.raw(table, statement)
    assert any("checksum" in one for one in place.problems())


def test_a_damaged_version_gets_no_new_checksum(place: Installation) -> None:
    place.raw("documents", "UPDATE documents SET valid_to = valid_to + 7 WHERE path = 'worker.md'")
    before = place.problems()
    with pytest.raises(DamagedStore, match="a row of document_states differs"):
        place.administration.reset_access(local(), "r", ("worker.md",))
    assert place.problems() == before != ()


def test_a_damaged_relation_gets_no_new_checksum(place: Installation) -> None:
    place.raw("", "UPDATE stated_relationships SET origins = '[]' WHERE manual = 1")
    before = place.problems()
    with pytest.raises(DamagedStore, match="a row of stated_relationships differs"):
        place.engine.content.remove_relation(local(), MANUAL)
    assert place.problems() == before != ()


def ingest_often(place: Installation) -> None:
    for number in range(8):
        place.ingest({**LATER, "new.md": f"# New\n\nNumber {number}.\n"})


def test_a_damaged_segment_gets_no_new_checksum(place: Installation) -> None:
    """Neither where snapshots are pruned, nor where segments are merged."""
    place.raw("", "UPDATE postings SET frequencies = chunks")
    with pytest.raises(DamagedStore, match=r"segment \d+ differs from its checksum"):
        place.administration.prune(local(), "r", "main", keep=1)
    with pytest.raises(DamagedStore, match=r"segment \d+ differs from its checksum"):
        ingest_often(place)


def test_a_list_that_cannot_be_read_is_damage(place: Installation) -> None:
    place.raw("", "UPDATE snapshots SET miners = '['")
    question = QuestionRequest(local(), load("documents"), "What waits in the queue?")
    with pytest.raises(DamagedStore, match="damaged: a stored list is not JSON; restore it from a"):
        place.engine.questions.retrieve(question)
    assert any("snapshots differ from their checksum" in one for one in place.problems())
    assert any("cannot be read: a stored list is not JSON" in one for one in place.problems())


@pytest.mark.parametrize("number", [-2, -14, 1_000])
def test_a_class_that_was_never_given_is_damage(place: Installation, number: int) -> None:
    """Not another class, counted from the last one."""
    try:
        place.raw("", f"UPDATE documents SET access_class = {number} WHERE path = 'queue.md'")
    except psycopg.errors.ForeignKeyViolation:
        return  # Postgres refuses
    wrong = "cannot be read: the access rule of a document is missing"
    assert any(wrong in one for one in place.problems())


def test_late_references_are_part_of_the_checksum(place: Installation) -> None:
    """A title that is new is found in texts that were stored before."""
    place.ingest({**LATER, "uploads.md": "# Uploads\n\nThey wait.\n"})
    count = "SELECT count(*) FROM node_references WHERE miner = 'titles'"
    assert place.raw("", count)[0][0] > 0
    assert place.problems() == ()
    place.raw("", "DELETE FROM node_references WHERE miner = 'titles'")
    assert any("documents, or their nodes" in one for one in place.problems())


def test_both_stores_have_the_same_checksums(tmp_path: Path, database: str) -> None:
    with on_sqlite(tmp_path) as one, on_postgres(database) as other:
        for table in ("manual_access_rules", "principals", "vectors", "access_classes"):
            query = f"SELECT checksum FROM {table} ORDER BY checksum"
            assert one.raw(table, query) == other.raw(table, query) != []
