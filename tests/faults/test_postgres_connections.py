"""Dropped, refused or exhausted connections give a message, and the next try works."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import psycopg
import pytest

from docgraph.adapters.postgres.store import PostgresStore
from docgraph.ingest.result import Progress
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import AccessRule
from docgraph.model.errors import StoreBusy, StoreError
from tests.conformance.published import publish
from tests.conformance.store_rules import writing
from tests.faults.strikes import barred, drop_all, hit, locks_held, terminated
from tests.faults.world import Opened, answers, having, ingest, may_report, reports
from tests.support.postgres_server import PostgresServer
from tests.support.small_world import document, write

LOST = "the connection to the server was lost"
STAFF = AccessRule("local", frozenset({"staff"}))
ROOT = Path(__file__).parents[2]
HOLD = """
import sys
from docgraph.adapters.postgres.pool import Pool
from tests.conformance.store_rules import writing
from tests.faults.world import open_store
from tests.support.small_world import document, write
with writing(open_store(Pool(sys.argv[1]))) as writes:
    write(writes, [document("a.md", "never published")])
    print("held", flush=True)
    input()
"""


def names(store: PostgresStore) -> list[str]:
    with store.open_session(local()) as reads:
        return sorted(reads.versions())


def decide(store: PostgresStore) -> None:
    with store.access_policy("local") as policies:
        policies.set_manual_rule("r", ("a.md",), STAFF)


@pytest.fixture
def store(postgres: PostgresServer, database: str, opened: Opened) -> Iterator[PostgresStore]:
    """Two documents; and at the end nothing is broken, and nothing locked."""
    store = opened(database)
    publish(store, document("a.md", "one"), document("b.md", "two"))
    yield store
    assert store.verify().problems == ()
    assert locks_held(postgres, database) == 0


def test_an_ingest_whose_connection_is_dropped_between_or_inside_batches(
    postgres: PostgresServer, database: str, opened: Opened
) -> None:
    store = opened(database)
    ingest(store, 0)
    before = answers(store)

    def drop(_: Progress) -> None:
        drop_all(postgres, database)

    with reports(StoreError, LOST, "Nothing unfinished can be seen"):
        ingest(store, 1, drop)
    with (
        reports(StoreError, LOST),
        hit(postgres, database, terminated(postgres)),
        barred(postgres, database, "vector_chunks"),
    ):
        ingest(store, 1)
    assert answers(store) == before
    ingest(store, 1)
    assert answers(store) != before
    assert store.verify().problems == ()
    assert locks_held(postgres, database) == 0


def test_a_question_whose_connection_is_dropped(
    postgres: PostgresServer, database: str, store: PostgresStore
) -> None:
    with reports(StoreError, LOST), store.open_session(local()) as reads:
        drop_all(postgres, database)
        reads.counts()
    with (
        reports(StoreError, LOST),
        hit(postgres, database, terminated(postgres)),
        store.open_session(local()) as reads,
        barred(postgres, database, "contents", readers=True),
    ):
        reads.versions()
    assert names(store) == ["r:a.md", "r:b.md"]


def test_a_change_of_rules_whose_connection_is_dropped(
    postgres: PostgresServer, database: str, store: PostgresStore
) -> None:
    with (
        reports(StoreError, LOST),
        hit(postgres, database, terminated(postgres)),
        barred(postgres, database, "segments"),
    ):
        decide(store)
    assert names(store) == ["r:a.md", "r:b.md"]
    decide(store)
    assert names(store) == ["r:b.md"]


def test_a_writer_whose_connection_is_dropped_while_it_waits(
    postgres: PostgresServer, database: str, store: PostgresStore
) -> None:
    with writing(store) as writes:
        with (
            reports(StoreError, LOST),
            hit(postgres, database, terminated(postgres)),
            writing(store),
        ):
            pass
        write(writes, [document("a.md", "three")])
        writes.publish()
    publish(store, document("c.md", "four"))
    assert names(store) == ["r:a.md", "r:b.md", "r:c.md"]


def test_connections_dropped_while_idle_are_replaced_silently(
    postgres: PostgresServer, database: str, store: PostgresStore
) -> None:
    with ExitStack() as many:
        for _ in range(4):
            many.enter_context(store.open_session(local()))
    drop_all(postgres, database)
    assert names(store) == ["r:a.md", "r:b.md"]
    drop_all(postgres, database)
    decide(store)
    drop_all(postgres, database)
    publish(store, document("c.md", "three"))
    assert names(store) == ["r:b.md", "r:c.md"]


def test_a_statement_that_exceeds_the_servers_timeout(
    postgres: PostgresServer, database: str, store: PostgresStore, opened: Opened
) -> None:
    hurried = opened(having(database, "statement_timeout=300"))
    with reports(StoreBusy, "statement_timeout"), barred(postgres, database, "vector_chunks"):
        publish(hurried, document("a.md", "three"))
    with reports(StoreBusy, "statement_timeout"), barred(postgres, database, "change_counts"):
        publish(hurried, document("a.md", "three"))
    with reports(StoreBusy, "statement_timeout"), barred(postgres, database, "change_counts"):
        decide(hurried)
    with (
        reports(StoreBusy, "statement_timeout"),
        hurried.open_session(local()) as reads,
        barred(postgres, database, "contents", readers=True),
    ):
        reads.versions()
    waiting = opened(having(database, "statement_timeout=300"), wait=1)
    with reports(StoreBusy, "another ingest or prune has held r main for 1 s"), writing(store):
        publish(waiting, document("a.md", "three"))
    assert locks_held(postgres, database) == 0
    assert names(hurried) == ["r:a.md", "r:b.md"]
    publish(store, document("c.md", "three"))
    assert names(hurried) == ["r:a.md", "r:b.md", "r:c.md"]


def test_a_login_with_a_timeout_of_one_millisecond(database: str, opened: Opened) -> None:
    """Every statement may be one too many: also those that let go of a lock."""
    patient = opened(database)
    publish(patient, document("a.md", "one"))
    for _ in range(8):
        with may_report(StoreBusy, "statement_timeout"):
            publish(opened(having(database, "statement_timeout=1")), document("a.md", "two"))
    publish(patient, document("a.md", "three"))
    assert patient.verify().problems == ()


def test_a_writer_that_waited_too_long_gets_the_name_of_the_branch(
    database: str, store: PostgresStore, opened: Opened
) -> None:
    hurried = opened(database, wait=0.1)
    with writing(store):
        with (
            reports(StoreBusy, "another ingest or prune has held r main for 0.1 s"),
            writing(hurried),
        ):
            pass
        with reports(StoreBusy, "an ingest of another branch has been under way for 0.1 s"):
            hurried.prune("local", "r", "side", keep=1)
        with writing(hurried, branch="side"):
            pass
    hurried.prune("local", "r", "main", keep=1)


def test_a_process_that_is_killed_leaves_no_lock(
    postgres: PostgresServer, database: str, store: PostgresStore
) -> None:
    command = [sys.executable, "-c", HOLD, database]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        assert locks_held(postgres, database) > 0
        holder.kill()
    publish(store, document("c.md", "three"))
    assert names(store) == ["r:a.md", "r:b.md", "r:c.md"]


def test_a_server_without_a_connection_left(own_postgres: PostgresServer, opened: Opened) -> None:
    dsn = own_postgres.fresh_database()
    own_postgres.restart("-c max_connections=6")
    store = opened(dsn)
    publish(store, document("a.md", "one"))
    drop_all(own_postgres, dsn)
    with ExitStack() as all_there_are:
        with suppress(psycopg.OperationalError):
            while True:
                all_there_are.enter_context(closing(psycopg.connect(dsn)))
        with reports(StoreBusy, "no connection left", "max_connections"):
            names(store)
        with reports(StoreBusy, "no connection left"):
            publish(store, document("b.md", "two"))
    drop_all(own_postgres, dsn)  # and until they are gone
    publish(store, document("b.md", "two"))
    assert names(store) == ["r:a.md", "r:b.md"]
