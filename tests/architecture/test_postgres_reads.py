"""On Postgres too, every read of every stage selects from the views: nothing else names a table."""

import re
from collections.abc import Iterator
from contextlib import closing

import pytest

from docgraph.adapters.postgres.connection import Connection, connect
from docgraph.adapters.postgres.database import POSTGRES
from docgraph.adapters.sql.database import load_queries

# What rights are resolved with, before there are any: see `load_rows`.
ROWS = {
    "changes",
    "segment_lives",
    "document_lives",
    "access_classes",
    "branches",
    "snapshots",
    "complete_indexes",
}
NO_READS = {
    "drop_half",
    "index_nodes",
    "index_vectors",
    "is_whole",
    "scan_as_before",
    "scan_this_way",
}
OF_THE_READERS_OWN_EYES = "{security_invoker=true}"


@pytest.fixture
def connection(database: str) -> Iterator[Connection]:
    with closing(connect(database)) as connection:
        yield connection


def named(connection: Connection, sql: str) -> set[str]:
    """The tables and views that a query itself names, in whatever clause; Postgres tells."""
    for field, value in (("{size}", "16"), ("{unindexed}", ""), ("{ties}", "ONLY")):
        sql = sql.replace(field, value)
    asked = re.sub(r"%\(\w+\)[sb]", "NULL", sql).rstrip().rstrip(";")
    with connection.transaction(force_rollback=True):
        connection.execute(f"CREATE VIEW probe AS SELECT 1 AS one FROM ({asked}) AS asked")
        found = connection.execute(
            "SELECT table_name FROM information_schema.view_table_usage WHERE view_name = 'probe'"
        ).fetchall()
    return {name for (name,) in found}


def views(connection: Connection) -> dict[str, str]:
    """Those of the first lock, and with whose eyes they see."""
    return dict(
        connection.execute(
            "SELECT relname, reloptions::text FROM pg_class "
            "WHERE relkind = 'v' AND relname ~ '^(visible|masked)_'"
        ).fetchall()
    )


@pytest.mark.requirement(34)
@pytest.mark.parametrize("file", ["reads.sql", "pgvector.sql"])
def test_no_read_names_a_raw_table(connection: Connection, file: str) -> None:
    queries, known = load_queries(POSTGRES, file), views(connection).keys()
    found = {name: named(connection, queries[name]) for name in queries.keys() - NO_READS}
    assert {name: tables - known for name, tables in found.items() if tables - known} == {}
    assert all(found.values())


def test_rights_are_resolved_from_names_and_numbers(connection: Connection) -> None:
    found = (named(connection, sql) for sql in load_queries(POSTGRES, "state.sql").values())
    assert set().union(*found) == ROWS


@pytest.mark.requirement(39)
def test_every_view_sees_with_the_eyes_of_who_asks(connection: Connection) -> None:
    assert len(views(connection)) > 10
    assert set(views(connection).values()) == {OF_THE_READERS_OWN_EYES}


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT text FROM contents",
        "SELECT n.id FROM visible_nodes AS n, documents AS d",
        "SELECT id FROM visible_documents WHERE id IN (SELECT id FROM documents)",
        "SELECT id FROM visible_nodes ORDER BY (SELECT max(born) FROM documents) LIMIT %(most)s",
        "WITH visible_documents AS (SELECT * FROM documents) SELECT * FROM visible_documents",
    ],
)
def test_a_raw_table_is_found_wherever_it_stands(connection: Connection, sql: str) -> None:
    assert named(connection, sql) - views(connection).keys()
