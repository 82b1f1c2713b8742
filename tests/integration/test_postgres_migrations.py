"""Migrations: every row outlives every step, and a database that does not fit is refused."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import LiteralString

import psycopg
import pytest
from psycopg import sql

from docgraph.adapters.postgres import migrate as module
from docgraph.adapters.postgres.connection import connect
from docgraph.adapters.postgres.migrate import (
    LOCK,
    Migration,
    migrate,
    migrations,
    pending,
    pending_migrations,
    require_current,
)
from docgraph.model.errors import StoreError, WrongSchema
from tests.support.postgres_server import OWNER, PostgresServer, name_of

NEWEST = len(migrations())
ROLE = "CREATE ROLE docgraph_reader NOLOGIN"
Rows = dict[str, list[tuple[object, ...]]]


def columns(dsn: str) -> dict[str, list[str]]:
    """Of docgraph's tables; what a migrator writes down is its own."""
    with connect(dsn) as connection:
        found = connection.execute(
            "SELECT table_name, array_agg(column_name::text ORDER BY ordinal_position) "
            "FROM information_schema.columns JOIN information_schema.tables "
            "USING (table_schema, table_name) "
            "WHERE table_schema = 'docgraph' AND table_type = 'BASE TABLE' "
            "AND table_name <> 'schema_versions' GROUP BY 1"
        ).fetchall()
    return dict(found)


def rows(dsn: str, known: dict[str, list[str]]) -> Rows:
    with connect(dsn) as connection:
        return {
            table: connection.execute(
                sql.SQL("SELECT {} FROM {} ORDER BY 1, 2").format(
                    sql.SQL(", ").join(map(sql.Identifier, names)), sql.Identifier(table)
                )
            ).fetchall()
            for table, names in known.items()
        }


@pytest.fixture
def next_migration(monkeypatch: pytest.MonkeyPatch) -> Migration:
    """One that a later docgraph could have."""
    text = "ALTER TABLE principals ADD COLUMN note text NOT NULL DEFAULT '';"
    migration = Migration(NEWEST + 1, "next", text, "digest")
    later = (*migrations(), migration)
    monkeypatch.setattr(module, "migrations", lambda: later)
    return migration


def test_a_migration_keeps_every_row(database: str, next_migration: Migration) -> None:
    with connect(database) as connection:
        connection.execute("INSERT INTO change_counts VALUES ('local', 3, 1)")
        connection.execute("INSERT INTO principals VALUES ('local', 'ann', '[]', '[]', 1, '[]', 0)")
    known = columns(database)
    before = rows(database, known)
    assert pending_migrations(database) == (next_migration,)
    assert migrate(database) == (next_migration,)
    assert rows(database, known) == before
    assert columns(database)["principals"] == [*known["principals"], "note"]
    assert migrate(database) == ()


def test_a_database_without_a_later_migration_is_refused(
    database: str, next_migration: Migration
) -> None:
    message = f"has schema {NEWEST}; this docgraph needs schema {next_migration.number}; run"
    with closing(connect(database)) as connection, pytest.raises(WrongSchema, match=message):
        require_current(connection, database)


@pytest.mark.parametrize("applied", [1, NEWEST, NEWEST + 3])
def test_a_database_of_an_older_format_is_refused_with_what_to_do(
    blank_database: str, applied: int
) -> None:
    """However many migrations that format had."""
    with connect(blank_database) as connection:
        connection.execute(
            "CREATE SCHEMA docgraph; CREATE TABLE docgraph.schema_versions "
            "(number integer PRIMARY KEY, name text, digest text)"
        )
        insert = "INSERT INTO docgraph.schema_versions VALUES (%s, %s, 'old')"
        for number in range(1, applied + 1):
            connection.execute(insert, (number, f"{number:04}_tables"))
        message = "0001_tables was applied there with other contents.* anew into a new database"
        with pytest.raises(WrongSchema, match=message):
            require_current(connection, blank_database)
    for attempt in (pending_migrations, migrate):
        with pytest.raises(WrongSchema, match="Ingest the sources anew into a new database"):
            attempt(blank_database)


def test_migrations_one_by_one_or_at_once_give_the_same_schema(postgres: PostgresServer) -> None:
    slow, quick = (postgres.fresh_database(migrated=False) for _ in range(2))
    for step in range(1, NEWEST + 1):
        migrate(slow, to=step)
    assert migrate(quick) == migrations()
    assert columns(slow) == columns(quick)
    for dsn in (slow, quick):
        postgres.drop(dsn)


def test_a_new_database_is_refused_with_the_command_to_run(blank_database: str) -> None:
    with closing(connect(blank_database)) as connection:
        with pytest.raises(WrongSchema, match="has no docgraph tables yet; run `docgraph migrate`"):
            require_current(connection, blank_database)
        migrate(blank_database)
        require_current(connection, blank_database)


def test_an_old_schema_is_refused_with_the_command_to_run(blank_database: str) -> None:
    migrate(blank_database, to=1)
    message = f"has schema 1; this docgraph needs schema {NEWEST}; run `docgraph migrate`"
    with (
        closing(connect(blank_database)) as connection,
        pytest.raises(WrongSchema, match=message),
    ):
        require_current(connection, blank_database)


def test_listing_pending_migrations_changes_nothing(blank_database: str) -> None:
    assert pending_migrations(blank_database) == migrations()
    assert columns(blank_database) == {}
    migrate(blank_database, to=1)
    assert pending_migrations(blank_database) == migrations()[1:]


def test_a_newer_database_is_refused(database: str) -> None:
    with connect(database) as connection:
        connection.execute(
            "INSERT INTO schema_versions (number, name, digest) VALUES (%s, 'next', '')",
            (NEWEST + 1,),
        )
    message = rf"has schema {NEWEST + 1}; this docgraph knows schemas up to {NEWEST}\. A newer"
    for attempt in (pending_migrations, migrate):
        with pytest.raises(WrongSchema, match=message):
            attempt(database)


def test_a_migration_that_was_changed_after_it_was_applied_is_refused(database: str) -> None:
    with connect(database) as connection:
        connection.execute("UPDATE schema_versions SET digest = 'other' WHERE number = 2")
        with pytest.raises(WrongSchema, match="0002_row_security was applied there with other"):
            pending(connection, database)
    with pytest.raises(WrongSchema, match="use the docgraph that migrated"):
        migrate(database)


def test_a_database_with_a_gap_is_refused(database: str) -> None:
    with connect(database) as connection:
        connection.execute("DELETE FROM schema_versions WHERE number = 1")
    with pytest.raises(WrongSchema, match="use the docgraph that migrated"):
        pending_migrations(database)


def test_of_two_concurrent_migrations_one_applies_and_one_finds_nothing_pending(
    blank_database: str,
) -> None:
    together = threading.Barrier(2)

    def one() -> int:
        together.wait()
        return len(migrate(blank_database))

    with ThreadPoolExecutor(2) as both:
        done = [both.submit(one) for _ in range(2)]
        assert sorted(each.result() for each in done) == [0, NEWEST]


def test_a_second_migration_waits_for_the_first(blank_database: str) -> None:
    with connect(blank_database) as first, ThreadPoolExecutor(1) as other:
        first.execute("SELECT pg_advisory_lock(%s, %s)", LOCK)
        second = other.submit(migrate, blank_database)
        waiting = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
        while not first.execute(waiting).fetchone():
            assert not second.done()
        assert columns(blank_database) == {}
        first.execute("SELECT pg_advisory_unlock_all()")
        assert second.result() == migrations()


def test_a_migration_that_fails_leaves_nothing_of_itself(blank_database: str) -> None:
    migrate(blank_database, to=2)
    with connect(blank_database) as connection:
        connection.execute("CREATE TABLE visible_texts ()")
        with pytest.raises(StoreError, match="0003_views could not be applied, and nothing of"):
            migrate(blank_database)
        views = connection.execute("SELECT to_regclass('visible_documents')").fetchone()
        assert views == (None,)
        connection.execute("DROP TABLE visible_texts")
    assert pending_migrations(blank_database) == migrations()[2:]
    assert migrate(blank_database) == migrations()[2:]


def test_tables_of_others_are_left_alone(postgres: PostgresServer, blank_database: str) -> None:
    name = psycopg.conninfo.conninfo_to_dict(blank_database)["dbname"]
    with postgres.superuser(str(name)) as connection:
        connection.execute("CREATE TABLE public.schema_versions (x int)")
        connection.execute("CREATE TABLE public.documents (x int)")
        migrate(blank_database)
        assert connection.execute("TABLE public.schema_versions").fetchall() == []
    with closing(connect(blank_database)) as ours:
        require_current(ours, blank_database)


# What a database administrator has to do first


def test_a_missing_extension_is_reported_with_the_command(postgres: PostgresServer) -> None:
    dsn = postgres.database("bare")
    with pytest.raises(StoreError, match=r"may not add pgvector\..*: CREATE EXTENSION vector;"):
        migrate(dsn)
    postgres.drop(dsn)


def test_an_extension_in_another_schema_is_found(postgres: PostgresServer) -> None:
    dsn = postgres.database("elsewhere")
    with postgres.superuser("elsewhere") as connection:
        connection.execute('CREATE SCHEMA "Others"; CREATE EXTENSION vector SCHEMA "Others"')
        connection.execute('GRANT USAGE ON SCHEMA "Others" TO PUBLIC')
    assert migrate(dsn) == migrations()
    postgres.drop(dsn)


@pytest.fixture
def stranger(postgres: PostgresServer) -> Iterator[str]:
    """Owns a database, and was not granted docgraph_reader."""
    with postgres.superuser() as connection:
        connection.execute("CREATE ROLE stranger LOGIN")
    postgres.database("strange")
    with postgres.superuser("strange") as connection:
        connection.execute("CREATE EXTENSION vector")
        connection.execute("ALTER DATABASE strange OWNER TO stranger")
    yield postgres.dsn("strange", "stranger")
    postgres.drop(postgres.dsn("strange"))
    with postgres.superuser() as connection:
        connection.execute("DROP ROLE stranger")


def test_a_missing_grant_is_reported_with_the_command(stranger: str) -> None:
    grant = 'GRANT docgraph_reader TO "stranger" WITH INHERIT FALSE, SET TRUE;'
    with pytest.raises(StoreError, match=f"may not become docgraph_reader.*: {grant}"):
        migrate(stranger)
    assert pending_migrations(stranger) == migrations()


def test_a_schema_that_may_not_be_created_is_reported_with_the_command(
    postgres: PostgresServer, stranger: str
) -> None:
    with postgres.superuser() as connection:
        connection.execute("ALTER DATABASE strange OWNER TO postgres")
    command = 'may not make its schema.*: CREATE SCHEMA docgraph AUTHORIZATION "stranger";'
    with pytest.raises(StoreError, match=command):
        migrate(stranger)


def test_a_schema_of_another_owner_is_left_alone(postgres: PostgresServer, stranger: str) -> None:
    """Nothing is made in `public` instead."""
    with postgres.superuser("strange") as root:
        root.execute("CREATE SCHEMA docgraph; GRANT ALL ON SCHEMA public TO stranger")
        mend = 'ALTER SCHEMA docgraph OWNER TO "stranger";'
        message = f"the tables belong to postgres, this login is stranger, .*: {mend}"
        with pytest.raises(StoreError, match=message):
            migrate(stranger)
        made = "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace"
        assert root.execute(made).fetchall() == []
        root.execute(mend.encode())
        root.execute("GRANT docgraph_reader TO stranger")
    assert migrate(stranger) == migrations()


def test_a_login_that_does_not_own_the_tables_is_reported(
    postgres: PostgresServer, database: str
) -> None:
    message = f"the tables belong to {OWNER}, this login is docgraph_reads, who has to own them"
    with postgres.superuser() as root:
        root.execute("CREATE ROLE docgraph_reads LOGIN")
    try:
        with pytest.raises(StoreError, match=message):
            migrate(postgres.dsn(name_of(database), "docgraph_reads"))
    finally:
        with postgres.superuser() as root:
            root.execute("DROP ROLE docgraph_reads")


@pytest.mark.parametrize(
    ("grant", "message"),
    [
        (
            "GRANT CREATE ON SCHEMA public TO PUBLIC",
            'PUBLIC may make things in schema public.*: REVOKE CREATE ON SCHEMA "public" FROM PUB',
        ),
        (
            "GRANT CREATE ON SCHEMA public TO docgraph_locked",
            'docgraph_locked may make .*: REVOKE CREATE ON SCHEMA "public" FROM "docgraph_locked";',
        ),
        (
            "GRANT CREATE ON SCHEMA docgraph TO PUBLIC",
            'PUBLIC may make things in schema docgraph.*: REVOKE CREATE ON SCHEMA "docgraph" FROM',
        ),
        (
            "ALTER SCHEMA public OWNER TO docgraph_locked",
            'docgraph_locked may make .*: ALTER SCHEMA "public" OWNER TO "docgraph_owner";',
        ),
    ],
)
def test_no_other_role_may_create_objects_where_names_are_looked_up(
    postgres: PostgresServer, database: str, grant: LiteralString, message: str
) -> None:
    with postgres.superuser(name_of(database)) as root:
        root.execute(grant)
        with pytest.raises(StoreError, match=message):
            migrate(database)


def test_the_owner_of_the_database_may_create_objects_in_public(
    postgres: PostgresServer, stranger: str
) -> None:
    with postgres.superuser("strange") as root:
        root.execute("CREATE SCHEMA docgraph AUTHORIZATION stranger")
        root.execute("GRANT docgraph_reader TO stranger")
        root.execute(f"ALTER DATABASE strange OWNER TO {OWNER}".encode())
        message = f'{OWNER} may make .*: ALTER DATABASE "strange" OWNER TO "stranger";'
        with pytest.raises(StoreError, match=message):
            migrate(stranger)
        root.execute("ALTER DATABASE strange OWNER TO stranger")
    assert migrate(stranger) == migrations()


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("OLDEST_SERVER", 99, r"this is Postgres \d+; docgraph needs 99 or newer"),
        ("OLDEST_VECTOR", (99, 0), r"pgvector 0\.\S+ is too old; install 99\.0 or newer, then run"),
    ],
)
def test_an_old_server_is_refused_before_anything_is_created(
    blank_database: str, monkeypatch: pytest.MonkeyPatch, name: str, value: object, message: str
) -> None:
    monkeypatch.setattr(module, name, value)
    with pytest.raises(StoreError, match=message):
        migrate(blank_database)
    with connect(blank_database) as connection:
        assert connection.execute("SELECT to_regnamespace('docgraph')").fetchone() == (None,)


def test_a_database_without_utf8_is_refused(postgres: PostgresServer) -> None:
    with postgres.superuser() as connection:
        connection.execute("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0")
    with pytest.raises(StoreError, match=r"this database holds LATIN1; .* ENCODING 'UTF8'"):
        migrate(postgres.dsn("latin"))
    postgres.drop(postgres.dsn("latin"))


def test_a_login_that_may_create_roles_needs_no_administrator(
    own_postgres: PostgresServer,
) -> None:
    with own_postgres.superuser() as connection:
        connection.execute("DROP ROLE docgraph_reader")
    dsn = own_postgres.fresh_database(migrated=False)
    with pytest.raises(StoreError, match="CREATE ROLE docgraph_reader NOLOGIN; GRANT"):
        migrate(dsn)
    with own_postgres.superuser() as connection:
        connection.execute("ALTER ROLE docgraph_owner CREATEROLE")
    migrate(dsn)
    with connect(dsn) as connection:
        connection.execute("SET ROLE docgraph_reader")
        assert connection.execute("SELECT current_user").fetchone() == ("docgraph_reader",)


def test_migration_numbers_have_no_gaps() -> None:
    assert [one.number for one in migrations()] == list(range(1, NEWEST + 1))
    folder = Path(module.__file__).with_name("migrations")
    assert sorted(one.name for one in migrations()) == sorted(p.stem for p in folder.iterdir())
