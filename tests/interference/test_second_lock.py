"""On Postgres row security keeps results free of interference even if our own filter fails."""

from collections.abc import Callable

import pytest
from psycopg import sql

from docgraph.adapters.postgres.connection import SCHEMA, Connection
from tests.interference.leaks import NOT_OF_ROWS, RIGHTS_FORGOTTEN
from tests.interference.machine import Interference, counts
from tests.interference.postgres_factories import on_postgres
from tests.interference.runs import NUMBER, prove
from tests.interference.stores import small_limits
from tests.support.postgres_server import PostgresServer
from tests.support.weakened_views import forget_rights

EXAMPLES, THOROUGH = 45, 60
TABLES = "SELECT relname FROM pg_class WHERE relnamespace = %s::regnamespace AND relrowsecurity"


def open_both_locks(connection: Connection) -> None:
    forget_rights(connection)
    for (table,) in connection.execute(TABLES, [SCHEMA]).fetchall():
        off = sql.SQL("ALTER TABLE {} DISABLE ROW LEVEL SECURITY").format(sql.Identifier(table))
        connection.execute(off)


@pytest.mark.requirement(36)
@pytest.mark.parametrize("index", ["packed", "pgvector"])
def test_hidden_documents_change_no_byte_on_postgres(
    postgres: PostgresServer, thorough: bool, index: str
) -> None:
    examples = THOROUGH if thorough else EXAMPLES
    counts.clear()
    with small_limits(), on_postgres(postgres, index=index) as store_factory:
        prove(NUMBER, examples, store_factory=store_factory)
    assert counts["runs"] >= examples
    assert counts["comparisons"] >= 4 * examples


@pytest.mark.requirement(36)
def test_where_rights_are_forgotten_postgres_remembers(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Six leaks at once, in the views too: each is found on SQLite, and none of them here."""
    for leak in RIGHTS_FORGOTTEN:
        leak(monkeypatch)
    counts.clear()
    with small_limits(), on_postgres(postgres, forget_rights) as store_factory:
        prove(NUMBER, EXAMPLES, store_factory=store_factory)
    assert counts["runs"] >= EXAMPLES


def test_it_is_row_level_security_that_remembers(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for leak in RIGHTS_FORGOTTEN:
        leak(monkeypatch)
    # A store whose second lock is off would not be opened.
    monkeypatch.setattr("docgraph.adapters.postgres.store.require_current", lambda *_: None)
    with (
        small_limits(),
        on_postgres(postgres, open_both_locks) as store_factory,
        pytest.raises(Interference),
    ):
        prove(NUMBER, EXAMPLES, store_factory=store_factory)


@pytest.mark.parametrize("leak", NOT_OF_ROWS, ids=lambda leak: leak.__name__)
def test_a_leak_that_is_not_of_rows_is_found_on_postgres_too(
    postgres: PostgresServer,
    leak: Callable[[pytest.MonkeyPatch], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The second lock is no substitute for the first."""
    leak(monkeypatch)
    with small_limits(), on_postgres(postgres) as store_factory, pytest.raises(Interference):
        prove(NUMBER + 1, 4 * EXAMPLES, store_factory=store_factory)
