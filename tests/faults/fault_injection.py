"""Faults at a chosen moment: a statement waits for a locked table, and its process is ended."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from tests.support.postgres_server import PostgresServer, name_of

TIMEOUT = 60  # seconds
WAITING = "SELECT pid FROM pg_stat_activity WHERE datname = %s AND wait_event_type = 'Lock'"
OTHERS = """
    SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
    WHERE datname = %s AND usename <> current_user
"""
SLOW = """
    CREATE FUNCTION docgraph.slow_{1}() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_sleep({2}); RETURN NULL; END $$;
    CREATE TRIGGER slow BEFORE {0} ON docgraph.{1}
    FOR EACH STATEMENT EXECUTE FUNCTION docgraph.slow_{1}();
"""
ASLEEP = "SELECT 1 FROM pg_stat_activity WHERE datname = %s AND wait_event = 'PgSleep'"
ADVISORY = """
    SELECT count(*) FROM pg_locks AS l JOIN pg_database AS d ON d.oid = l.database
    WHERE l.locktype = 'advisory' AND d.datname = %s
"""
Fault = Callable[[int], None]


@contextmanager
def lock_table(
    server: PostgresServer, dsn: str, table: str, *, readers: bool = False
) -> Iterator[None]:
    """Writers of the table block, and readers too with `readers`."""
    how = SQL("LOCK TABLE docgraph.{} IN ACCESS EXCLUSIVE MODE")
    if not readers:
        how = SQL("LOCK TABLE docgraph.{} IN EXCLUSIVE MODE")
    with closing(server.superuser(name_of(dsn))) as connection:
        connection.execute("BEGIN")
        connection.execute(how.format(Identifier(table)))
        yield


@contextmanager
def inject_fault(server: PostgresServer, dsn: str, fault: Fault) -> Iterator[None]:
    """Applied to the first process that waits for a lock."""
    with ThreadPoolExecutor(1) as others:
        injected = others.submit(lambda: fault(find_blocked_process(server, dsn)))
        try:
            yield
        finally:
            injected.result()


def find_blocked_process(server: PostgresServer, dsn: str) -> int:
    """The id of a process that waits for a lock, as soon as there is one."""
    until = time.monotonic() + TIMEOUT
    with closing(server.superuser()) as connection:
        while time.monotonic() < until:
            if (row := connection.execute(WAITING, [name_of(dsn)]).fetchone()) is not None:
                return int(row[0])
            time.sleep(0.01)
    raise AssertionError("no process is blocked")


@contextmanager
def slow_down(
    server: PostgresServer, dsn: str, seconds: float = 0.4, **statements: str
) -> Iterator[Callable[[], None]]:
    """Slows these statements on these tables, so that others come in between. The function that
    this yields waits until one of them runs."""
    with closing(server.superuser(name_of(dsn))) as connection:
        for table, statement in statements.items():
            connection.execute(SLOW.format(statement, table, seconds).encode())

        def wait_until_running() -> None:
            until = time.monotonic() + TIMEOUT
            while connection.execute(ASLEEP, [name_of(dsn)]).fetchone() is None:
                assert time.monotonic() < until, "no process is blocked"
                time.sleep(0.01)

        yield wait_until_running


def terminate_connection(server: PostgresServer) -> Fault:
    """One connection is dropped."""

    def fault(process: int) -> None:
        with closing(server.superuser()) as connection:
            connection.execute("SELECT pg_terminate_backend(%s)", [process])

    return fault


def drop_all(server: PostgresServer, dsn: str) -> None:
    """Every connection to the database, idle or not."""
    with closing(server.superuser()) as connection:
        connection.execute(OTHERS, [name_of(dsn)])


def crash(server: PostgresServer, dsn: str) -> None:
    """One process of the server is killed: the server ends all others and restarts."""
    with closing(server.superuser(name_of(dsn))) as connection:
        os.kill(connection.info.backend_pid, signal.SIGKILL)
        with pytest.raises(psycopg.OperationalError):
            connection.execute("SELECT 1")
    until = time.monotonic() + TIMEOUT
    while time.monotonic() < until:
        with suppress(psycopg.OperationalError):
            return server.superuser().close()
        time.sleep(0.02)
    raise AssertionError("the server did not restart")


def count_locks(server: PostgresServer, dsn: str) -> int:
    with closing(server.superuser()) as connection:
        row = connection.execute(ADVISORY, [name_of(dsn)]).fetchone()
    assert row is not None
    return int(row[0])
