"""Connections to Postgres: set up alike, lent by a pool, their errors in words, no password."""

import logging
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import psycopg
import pytest

from docgraph.adapters.postgres.connection import Connection, connect
from docgraph.adapters.postgres.errors import translate_errors
from docgraph.adapters.postgres.pool import Pool
from docgraph.adapters.postgres.vectors import PgVector
from docgraph.adapters.sql.database import DamagedRow
from docgraph.model.errors import DamagedStore, StoreBusy, StoreError, StoreFull, WrongSchema
from tests.support.postgres_server import LOCKED, OWNER, PASSWORD, PostgresServer

ROOT = Path(__file__).parents[2]


@pytest.fixture
def connection(database: str) -> Iterator[Connection]:
    with connect(database) as opened:
        yield opened


@pytest.fixture
def pool(database: str) -> Iterator[Pool]:
    made = Pool(database, size=2, wait=5)
    yield made
    made.close()


def one(connection: Connection, query: str, *values: object) -> Any:
    row = connection.execute(query.encode(), values or None).fetchone()
    assert row is not None
    return row[0]


def session(pool: Pool) -> int:
    with pool.connection() as connection:
        return int(one(connection, "SELECT pg_backend_pid()"))


# Every connection


def test_names_are_looked_up_in_docgraph_s_schema_and_in_the_extension_s(
    connection: Connection,
) -> None:
    assert one(connection, "SHOW search_path") == "docgraph, public, pg_temp"
    assert one(connection, "SHOW application_name") == "docgraph"
    assert one(connection, "SHOW client_encoding") == "UTF8"
    assert connection.autocommit


def test_no_temporary_table_shadows_a_real_one(connection: Connection) -> None:
    connection.execute("CREATE TEMPORARY TABLE documents (x int)")
    assert one(connection, "SELECT 'documents'::regclass = 'docgraph.documents'::regclass")


def test_an_address_overrides_the_defaults(database: str) -> None:
    with connect(f"{database}&application_name=audit&connect_timeout=3") as connection:
        assert one(connection, "SHOW application_name") == "audit"


# Vectors


@pytest.mark.parametrize(
    "numbers", [[0], [1, -2, 3], [4080, -4080, 0], [32767, -32768], list(range(-512, 512))]
)
@pytest.mark.parametrize("binary", [False, True])
def test_a_vector_reads_back_unchanged(
    connection: Connection, numbers: list[int], binary: bool
) -> None:
    vector = PgVector(np.array(numbers, dtype=np.int16))
    packed = vector.values.astype("<i2").tobytes()
    cursor = connection.cursor(binary=binary)
    assert cursor.execute("SELECT %b::vector", [vector]).fetchone() == (packed,)
    assert cursor.execute("SELECT %t::vector", [vector]).fetchone() == (packed,)
    assert cursor.execute("SELECT %s::vector[]", [[vector, vector]]).fetchone() == ([packed] * 2,)


@pytest.mark.parametrize("how", ["", " WITH (FORMAT binary)"])
def test_vectors_work_with_copy(connection: Connection, how: str) -> None:
    numbers = np.array([7, -8], dtype=np.int16)
    connection.execute("CREATE TEMPORARY TABLE copied (id bigint, vector vector)")
    with connection.cursor() as cursor, cursor.copy(f"COPY copied FROM STDIN{how}".encode()) as out:
        out.set_types(["int8", "vector"])
        for number in range(3):
            out.write_row((number, PgVector(numbers)))
    assert one(connection, "SELECT count(*) FROM copied WHERE vector = '[7,-8]'") == 3


@pytest.mark.parametrize("shape", [(0,), (2, 2), ()])
def test_an_invalid_vector_is_not_sent(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="a vector has one number or more"):
        PgVector(np.zeros(shape, dtype=np.int16))


@pytest.mark.parametrize("numbers", ["[0.5]", "[32768]", "[-32769,1]", "[1e10]"])
@pytest.mark.parametrize("binary", [False, True])
def test_numbers_that_docgraph_never_wrote_are_refused(
    connection: Connection, numbers: str, binary: bool
) -> None:
    cursor = connection.cursor(binary=binary)
    with pytest.raises(DamagedRow, match="numbers that are not whole"):
        cursor.execute("SELECT %s::vector", [numbers]).fetchone()


def test_the_server_s_dot_product_is_exact(connection: Connection) -> None:
    chance = np.random.default_rng(5)
    left, right = chance.integers(-250, 250, (2, 384)).astype(np.int16)
    dot = one(connection, "SELECT -(%s::vector <#> %s)", PgVector(left), PgVector(right))
    assert dot == int(left.astype(np.int64) @ right.astype(np.int64))


# The pool


def test_a_connection_is_reused_and_uncommitted_changes_are_rolled_back(pool: Pool) -> None:
    first = session(pool)
    with pool.connection() as connection:
        connection.execute("BEGIN")
        connection.execute("INSERT INTO change_counts VALUES ('t', 1)")
    with pytest.raises(psycopg.errors.DivisionByZero), pool.connection() as connection:
        connection.execute("BEGIN; INSERT INTO change_counts VALUES ('u', 1); SELECT 1 / 0")
    with pool.connection() as connection:
        assert one(connection, "SELECT count(*) FROM change_counts") == 0
    assert session(pool) == first


def test_a_caller_waits_while_all_connections_are_in_use(pool: Pool) -> None:
    with ThreadPoolExecutor(6) as askers:

        def ask(number: int) -> Any:
            with pool.connection() as connection:
                return one(connection, "SELECT %s::int FROM pg_sleep(0.05)", number)

        assert list(askers.map(ask, range(12))) == list(range(12))


def test_a_caller_that_waits_too_long_gets_an_error(database: str) -> None:
    small = Pool(database, size=1, wait=0.3)
    message = r"all 1 connections of this process have been in use for 0\.3 s"
    with small.connection(), pytest.raises(StoreBusy, match=message), small.connection():
        pass
    small.close()


def test_a_terminated_connection_is_replaced(postgres: PostgresServer, pool: Pool) -> None:
    before = session(pool)
    with postgres.superuser() as root:
        root.execute("SELECT pg_terminate_backend(%s)", [before])
    assert session(pool) != before


def test_a_closed_pool_opens_again(pool: Pool) -> None:
    before = session(pool)
    pool.close()
    assert session(pool) != before


FORK = """
import os, sys
from docgraph.adapters.postgres.pool import Pool

def session(pool):
    with pool.connection() as connection:
        return connection.execute("SELECT pg_backend_pid()").fetchone()[0]

pool = Pool(sys.argv[1])
mine = session(pool)
child = os.fork()
if child == 0:
    print(session(pool) != mine, flush=True)
    sys.exit(0)
print(os.waitpid(child, 0)[1], session(pool) == mine)
"""


def run(script: str, *words: str) -> tuple[str, str]:
    command = [sys.executable, "-c", script, *words]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
    )
    return done.stdout, done.stderr


def test_a_forked_child_has_connections_of_its_own(database: str) -> None:
    out, _ = run(FORK, database)
    assert out.splitlines() == ["True", "0 True"]


ORPHAN = """
import os, sys
from docgraph.adapters.postgres.pool import Pool

pool = Pool(sys.argv[1])
with pool.connection() as connection:
    print(connection.execute("SELECT pg_backend_pid()").fetchone()[0], flush=True)
    if os.fork() == 0:
        sys.stdin.read()
        os._exit(0)
    os.kill(os.getpid(), 9)
"""


def test_a_killed_parents_session_ends_while_a_child_runs(
    postgres: PostgresServer, database: str
) -> None:
    command = [sys.executable, "-c", ORPHAN, database]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as parent:
        assert parent.stdout is not None
        process = int(parent.stdout.readline())
        parent.wait(60)
        alive = "SELECT count(*) FROM pg_stat_activity WHERE pid = %s"
        until = time.monotonic() + 60
        with postgres.superuser() as root:
            while one(root, alive, process) and time.monotonic() < until:
                time.sleep(0.02)
            assert one(root, alive, process) == 0


# Errors in words


def tried(database: str, *commands: str) -> None:
    with translate_errors(database), connect(database) as connection:
        for command in commands:
            connection.execute(command.encode())


RAISE = "DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '{}'; END $$"


@pytest.mark.parametrize(
    ("state", "kind", "words"),
    [
        ("53100", StoreFull, "the server's disk is full. The last complete snapshot is intact"),
        ("53200", StoreError, "out of memory"),
        ("53300", StoreBusy, "no connection left"),
        ("53400", StoreError, "cannot be used: no"),
        ("54000", StoreError, "cannot be used: no"),
        ("58030", StoreError, "cannot be used: no"),
        ("40P01", StoreBusy, "try again"),
        ("40001", StoreBusy, "try again"),
        ("57P01", StoreError, "the connection to the server was lost"),
        ("57P02", StoreError, "the connection to the server was lost"),
        ("57P03", StoreBusy, "starting or stopping"),
        ("08006", StoreError, "the connection to the server was lost"),
        ("XX001", DamagedStore, "restore it from a backup"),
    ],
)
def test_server_errors_are_translated_with_what_to_do(
    database: str, state: str, kind: type[StoreError], words: str
) -> None:
    with pytest.raises(kind) as raised:
        tried(database, RAISE.format(state))
    assert type(raised.value) is kind
    assert words in str(raised.value)
    assert str(raised.value).startswith(f"postgresql://{OWNER}@/")


def test_a_bug_of_docgraph_is_not_translated(database: str) -> None:
    with pytest.raises(psycopg.errors.SyntaxError):
        tried(database, "SELEKT 1")


def test_a_statement_timeout_is_reported(database: str) -> None:
    with pytest.raises(StoreBusy, match="after its statement_timeout"):
        tried(database, "SET statement_timeout = '20ms'", "SELECT pg_sleep(10)")


def test_a_lock_of_another_process_is_reported(database: str) -> None:
    with connect(database) as other, other.transaction():
        other.execute("LOCK TABLE documents")
        with pytest.raises(StoreBusy, match="another process holds"):
            tried(database, "SET lock_timeout = '20ms'", "SELECT count(*) FROM documents")


def test_a_write_to_a_standby_is_reported(database: str) -> None:
    insert = "INSERT INTO change_counts VALUES ('t', 1)"
    with pytest.raises(StoreError, match="is it a standby"):
        tried(database, "SET default_transaction_read_only = on", insert)


def test_a_missing_privilege_is_reported(database: str) -> None:
    with pytest.raises(StoreError, match="`docgraph doctor` tells"):
        tried(database, "SET ROLE docgraph_reader", "DELETE FROM documents")


def test_a_missing_table_is_reported(blank_database: str) -> None:
    with pytest.raises(WrongSchema, match="run `docgraph migrate`"):
        tried(blank_database, "SELECT count(*) FROM documents")


def test_a_missing_role_is_reported(own_postgres: PostgresServer) -> None:
    dsn = own_postgres.fresh_database(migrated=False)
    with own_postgres.superuser() as root:
        root.execute("DROP ROLE docgraph_reader")
    try:
        with pytest.raises(StoreError, match="docgraph_reader is missing"):
            tried(dsn, "SET ROLE docgraph_reader")
    finally:
        with own_postgres.superuser() as root:
            root.execute(f"CREATE ROLE docgraph_reader; GRANT docgraph_reader TO {OWNER}".encode())


# The server is away


def test_a_stopped_server_is_reported_at_once_and_the_next_try_works(
    own_postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And not when the time is over that callers wait for a connection: here it never is."""
    dsn = own_postgres.fresh_database()
    pool = Pool(dsn)
    session(pool)
    own_postgres.stop()
    checks = iter(range(300))  # five a second
    clock = SimpleNamespace(monotonic=lambda: 0.0 * next(checks))
    with monkeypatch.context() as patch:
        patch.setattr("docgraph.adapters.postgres.pool.time", clock)
        for _ in range(3):
            with pytest.raises(StoreError, match="whether the server runs"):
                session(pool)
    own_postgres.start()
    assert session(pool)
    pool.close()


def test_a_server_killed_during_a_query_is_reported_and_the_next_try_works(
    own_postgres: PostgresServer,
) -> None:
    pool = Pool(own_postgres.fresh_database())
    kill = threading.Timer(0.3, own_postgres.kill)
    session(pool)
    kill.start()
    with pytest.raises(StoreError, match="was lost"), pool.connection() as connection:
        connection.execute("SELECT pg_sleep(20)")
    kill.join()
    own_postgres.start()
    assert session(pool)
    pool.close()


def test_a_server_without_a_free_connection_is_reported(own_postgres: PostgresServer) -> None:
    dsn = own_postgres.fresh_database()
    with own_postgres.superuser() as root:
        root.execute(f"ALTER ROLE {OWNER} CONNECTION LIMIT 1".encode())
    try:
        with connect(dsn), pytest.raises(StoreBusy, match="no connection left"):
            session(Pool(dsn, wait=0.1))
    finally:
        with own_postgres.superuser() as root:
            root.execute(f"ALTER ROLE {OWNER} CONNECTION LIMIT -1".encode())


QUIET = """
import sys
from docgraph.adapters.postgres.pool import Pool
from docgraph.model.errors import StoreError

try:
    with Pool(sys.argv[1]).connection():
        pass
except StoreError as error:
    print(error)
"""


def test_an_error_is_reported_once_and_nothing_else_is_logged() -> None:
    out, err = run(QUIET, "postgresql://ann:sesame@127.0.0.1:1/notes")
    assert out.startswith("postgresql://ann@127.0.0.1:1/notes: ")
    assert len(out.splitlines()) == 1
    assert err == ""


# Passwords


def locked(server: PostgresServer, password: str) -> str:
    return server.dsn("postgres", f"{LOCKED}:{password}")


def test_a_password_authenticates(postgres: PostgresServer) -> None:
    with connect(locked(postgres, PASSWORD.replace(" ", "%20"))) as connection:
        assert one(connection, "SELECT current_user") == LOCKED


def test_a_wrong_password_is_reported_and_not_shown(
    postgres: PostgresServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    pool = Pool(locked(postgres, "guessed"))
    with pytest.raises(StoreError, match="password authentication failed") as raised:
        session(pool)
    for text in (str(raised.value), repr(raised.value), repr(pool), caplog.text):
        assert "guessed" not in text


def test_a_password_in_the_servers_message_is_redacted(postgres: PostgresServer) -> None:
    dsn = postgres.dsn(f"{LOCKED}x", f"{LOCKED}x:{LOCKED}x")
    with pytest.raises(StoreError) as raised, translate_errors(dsn):
        connect(dsn)
    assert 'role "***"' in str(raised.value)


@pytest.mark.parametrize("password", ["se%%same", "se/same", "se@same", "se[same", "se@sa/me"])
def test_an_ambiguous_address_is_not_shown(password: str) -> None:
    dsn = f"postgresql://ann:{password}@host.invalid/db"
    with pytest.raises(StoreError) as raised, translate_errors(dsn):
        connect(dsn)
    message = "an address is postgresql://USER:PASSWORD@HOST:PORT/DATABASE"
    if "[" in password:  # libpq takes it for what it is
        message = "failed to resolve host 'host.invalid'"
    assert message in str(raised.value)
    assert "same" not in str(raised.value)
    assert '"se' not in str(raised.value)
