"""On Postgres, every read of every stage selects from the views, and none from a table."""

import re
from collections.abc import Iterator
from contextlib import closing

import pytest

from docgraph.adapters.postgres.connection import Connection, connect
from docgraph.adapters.postgres.database import POSTGRES
from docgraph.adapters.sql.database import load_queries

# Tables from which rights are computed: see `load_rows`.
ROWS = {
    *("change_counts", "segments", "documents", "document_embeddings"),
    *("access_classes", "branches", "snapshots", "complete_indexes"),
}
NO_READS = {
    "drop_invalid_index",
    "create_node_index",
    "create_vector_index",
    "index_is_valid",
    "reset_index_scan",
    "enable_index_scan",
}
OF_THE_READERS_OWN_EYES = "{security_invoker=true}"


@pytest.fixture
def connection(database: str) -> Iterator[Connection]:
    with closing(connect(database)) as connection:
        yield connection


def used_relations(connection: Connection, sql: str) -> set[str]:
    """The tables and views that a query uses, according to Postgres."""
    for field, value in (
        ("{size}", "16"),
        ("{element}", "vector"),
        ("{unindexed}", ""),
        ("{ties}", "ONLY"),
    ):
        sql = sql.replace(field, value)
    asked = re.sub(r"%\(\w+\)[sb]", "NULL", sql).rstrip().rstrip(";")
    with connection.transaction(force_rollback=True):
        connection.execute(f"CREATE VIEW probe AS SELECT 1 AS one FROM ({asked}) AS asked")
        found = connection.execute(
            "SELECT table_name FROM information_schema.view_table_usage WHERE view_name = 'probe'"
        ).fetchall()
    return {name for (name,) in found}


def views(connection: Connection) -> dict[str, str]:
    """The views by which readers read, each with the option `security_invoker`."""
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
    found = {name: used_relations(connection, queries[name]) for name in queries.keys() - NO_READS}
    assert {name: tables - known for name, tables in found.items() if tables - known} == {}
    assert all(found.values())


def test_rights_are_computed_from_names_and_numbers_only(connection: Connection) -> None:
    found = (
        used_relations(connection, sql) for sql in load_queries(POSTGRES, "state.sql").values()
    )
    assert set().union(*found) == ROWS


@pytest.mark.requirement(39)
def test_every_view_runs_with_the_rights_of_its_caller(connection: Connection) -> None:
    assert len(views(connection)) > 10
    assert set(views(connection).values()) == {OF_THE_READERS_OWN_EYES}


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT text FROM contents",
        "SELECT n.id FROM visible_nodes AS n, documents AS d",
        "SELECT id FROM visible_documents WHERE id IN (SELECT id FROM documents)",
        "SELECT id FROM visible_nodes ORDER BY (SELECT max(rank) FROM definitions) LIMIT %(most)s",
        "WITH visible_documents AS (SELECT * FROM documents) SELECT * FROM visible_documents",
    ],
)
def test_a_read_of_a_table_is_found(connection: Connection, sql: str) -> None:
    assert used_relations(connection, sql) - views(connection).keys()
