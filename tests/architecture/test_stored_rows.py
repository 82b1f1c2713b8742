"""Rows have types, so that damage is found where they are read; checksums are for no reader."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from docgraph.adapters.postgres.database import POSTGRES
from docgraph.adapters.sql.database import load_queries, row_types
from docgraph.adapters.sqlite.connection import connect
from docgraph.adapters.sqlite.database import SQLITE
from docgraph.adapters.sqlite.reader_pool import ReaderGuard
from docgraph.adapters.sqlite.store import SqliteStore
from tests.support.store_modules import folder

SHARED = sorted(path.name for path in folder("sql").glob("queries/*.sql"))
# Of these, `verify` compares rows with their checksums, whatever they hold.
UNTYPED = {("checksums.sql", name) for name in load_queries(SQLITE, "checksums.sql")}
UNTYPED |= {("server.sql", "api_keys"), ("server.sql", "ingest_jobs")}
READERS = ("reads.sql", "pgvector.sql")


@pytest.mark.parametrize("file", [*SHARED, "vectors.sql"])
def test_every_query_that_gives_rows_says_their_types(file: str) -> None:
    gives = {
        name
        for name, text in load_queries(SQLITE, file).items()
        if re.match(r"SELECT|WITH", text) or "RETURNING" in text
    }
    typed = row_types(SQLITE, file).keys()
    assert typed <= gives
    assert {(file, name) for name in gives - typed} <= UNTYPED


def test_no_read_names_a_checksum() -> None:
    texts = [
        *load_queries(SQLITE, "reads.sql").values(),
        *(text for file in READERS for text in load_queries(POSTGRES, file).values()),
    ]
    assert len(texts) > 70
    assert [text for text in texts if "checksum" in text] == []


def test_no_view_of_a_reader_has_a_checksum(tmp_path: Path, database: str) -> None:
    SqliteStore(tmp_path / "store.db", now=lambda: "now")
    with closing(connect(tmp_path / "store.db")) as connection:
        ReaderGuard(connection)
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_temp_schema")]
        columns = {(name, column) for name in names for column in columns_of(connection, name)}
    with psycopg.connect(database) as postgres:
        rows = postgres.execute(
            "SELECT v.table_name, c.column_name FROM information_schema.views AS v "
            "JOIN information_schema.columns AS c USING (table_schema, table_name) "
            "WHERE v.table_schema = 'docgraph'"
        ).fetchall()
    assert ("visible_documents", "unresolved_calls") in columns & set(rows)
    assert [one for one in (*columns, *rows) if "checksum" in one[1]] == []


def columns_of(connection: sqlite3.Connection, view: str) -> list[str]:
    return [row[1] for row in connection.execute(f"PRAGMA table_info({view})")]
