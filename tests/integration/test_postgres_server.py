"""The Postgres server of the tests: a real one, for any user, removed when the tests end."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from docgraph.adapters.postgres.migrate import migrate, migrations
from tests.support import postgres_server
from tests.support.postgres_server import OWNER, PostgresServer

ROOT = Path(__file__).parents[2]
ABANDON = """
from tests.support.postgres_server import PostgresServer
server = PostgresServer()
print(server.folder, server.process, flush=True)
input()
"""
# Modules are loaded before the change: an interpreter may lie where only root can read.
AS_A_USER = """
import os, pwd
from docgraph.adapters.postgres.migrate import migrations
from tests.support.postgres_server import PostgresServer
migrations()
if os.geteuid() == 0:
    nobody = pwd.getpwnam("nobody")
    os.setgroups([])
    os.setgid(nobody.pw_gid)
    os.setuid(nobody.pw_uid)
server = PostgresServer()
dsn = server.fresh_database()
server.close()
print(os.geteuid() != 0, "migrated" in dsn, server.folder.exists())
"""


def python(script: str) -> "subprocess.Popen[str]":
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", script]
    return subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True)


def soon(true: Callable[[], bool]) -> bool:
    until = time.monotonic() + 60
    while not true() and time.monotonic() < until:
        time.sleep(0.02)
    return true()


def answers(folder: str) -> bool:
    try:
        psycopg.connect(host=folder, user="postgres").close()
    except psycopg.OperationalError:
        return False
    return True


def test_a_killed_test_leaves_neither_server_nor_folder() -> None:
    with python(ABANDON) as tests:
        assert tests.stdout is not None
        folder, _ = tests.stdout.readline().split()
        assert answers(folder)
        tests.kill()
    assert soon(lambda: not Path(folder).exists())
    assert not answers(folder)


def test_a_user_who_is_not_root_can_run_it_too() -> None:
    with python(AS_A_USER) as tests:
        out, _ = tests.communicate(timeout=60)
    assert out == "True True False\n"


def test_programs_that_the_server_s_user_cannot_reach_are_copied(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(postgres_server, "_can_run", lambda *_: False)
    server = PostgresServer()
    try:
        assert answers(str(server.folder))
    finally:
        server.close()
    assert not server.folder.exists()


def test_committed_rows_survive_a_kill(own_postgres: PostgresServer) -> None:
    dsn = own_postgres.fresh_database()
    with psycopg.connect(dsn) as connection:
        connection.execute("INSERT INTO docgraph.change_counts VALUES ('t', 7)")
    own_postgres.kill()
    assert not answers(str(own_postgres.folder))
    own_postgres.start()
    with psycopg.connect(dsn) as connection:
        assert connection.execute("SELECT all_changes FROM docgraph.change_counts").fetchall() == [
            (7,)
        ]


def test_a_stopped_server_starts_again_with_other_options(own_postgres: PostgresServer) -> None:
    before = own_postgres.process
    own_postgres.restart("-c max_connections=17")
    assert own_postgres.process != before
    with own_postgres.superuser() as connection:
        assert connection.execute("SHOW max_connections").fetchone() == ("17",)
    with pytest.raises(ProcessLookupError):
        os.kill(before, 0)
    own_postgres.restart()


def test_databases_belong_to_a_login_that_is_no_superuser(
    postgres: PostgresServer, database: str
) -> None:
    with psycopg.connect(database) as connection:
        row = connection.execute(
            "SELECT current_user, rolsuper, rolcreaterole FROM pg_roles "
            "WHERE rolname = current_user"
        ).fetchone()
    assert row == (OWNER, False, False)


def test_the_oldest_postgres_that_is_supported_takes_the_migrations() -> None:
    server = PostgresServer(oldest=True)
    try:
        with server.superuser() as connection:
            assert connection.info.server_version < 170_000
        assert migrate(server.fresh_database(migrated=False)) == migrations()
    finally:
        server.close()
