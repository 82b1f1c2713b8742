"""Dropped, refused or exhausted connections give a message, and the next try works."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import psycopg
import pytest

from docgraph.adapters.postgres.store import PostgresStore
from docgraph.ingest.progress import ProgressEvent
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import AccessRule
from docgraph.model.errors import StoreBusy, StoreError
from tests.conformance.published import publish
from tests.conformance.store_rules import writing
from tests.faults.fault_injection import (
    count_locks,
    drop_all,
    inject_fault,
    lock_table,
    terminate_connection,
)
from tests.faults.fault_store import (
    StoreOpener,
    ingest,
    may_raise_store_error,
    raises_store_error,
    read_results,
    with_settings,
)
from tests.support.postgres_server import PostgresServer
from tests.support.small_world import document, write

LOST = "the connection to the server was lost"
STAFF = AccessRule("local", frozenset({"staff"}))
ROOT = Path(__file__).parents[2]
HOLD = """
import sys
from docgraph.adapters.postgres.pool import Pool
from tests.conformance.store_rules import writing
from tests.faults.fault_store import open_store
from tests.support.small_world import document, write
with writing(open_store(Pool(sys.argv[1]))) as writes:
    write(writes, [document("a.md", "never published")])
    print("held", flush=True)
    input()
"""


def visible_ids(store: PostgresStore) -> list[str]:
    with store.open_session(local()) as reads:
        return sorted(reads.versions())


def set_rule(store: PostgresStore) -> None:
    with store.access_policy("local") as policies:
        policies.set_manual_rule("r", ("a.md",), STAFF)


@pytest.fixture
def store(
    postgres: PostgresServer, database: str, open_pooled: StoreOpener
) -> Iterator[PostgresStore]:
    """Two documents; and at the end nothing is broken, and nothing locked."""
    store = open_pooled(database)
    publish(store, document("a.md", "one"), document("b.md", "two"))
    yield store
    assert store.verify().problems == ()
    assert count_locks(postgres, database) == 0


def test_an_ingest_with_a_dropped_connection_changes_nothing_and_can_be_repeated(
    postgres: PostgresServer, database: str, open_pooled: StoreOpener
) -> None:
    store = open_pooled(database)
    ingest(store, 0)
    before = read_results(store)

    def drop(_: ProgressEvent) -> None:
        drop_all(postgres, database)

    with raises_store_error(StoreError, LOST, "Nothing unfinished can be seen"):
        ingest(store, 1, drop)
    with (
        raises_store_error(StoreError, LOST),
        inject_fault(postgres, database, terminate_connection(postgres)),
        lock_table(postgres, database, "vector_chunks"),
    ):
        ingest(store, 1)
    assert read_results(store) == before
    ingest(store, 1)
    assert read_results(store) != before
    assert store.verify().problems == ()
    assert count_locks(postgres, database) == 0


def test_a_question_with_a_dropped_connection_is_an_error_and_the_next_one_works(
    postgres: PostgresServer, database: str, store: PostgresStore
) -> None:
    with raises_store_error(StoreError, LOST), store.open_session(local()) as reads:
        drop_all(postgres, database)
        reads.counts()
    with (
        raises_store_error(StoreError, LOST),
        inject_fault(postgres, database, terminate_connection(postgres)),
        store.open_session(local()) as reads,
        lock_table(postgres, database, "contents", readers=True),
    ):
        reads.versions()
    assert visible_ids(store) == ["r:a.md", "r:b.md"]


def test_a_change_of_rules_with_a_dropped_connection_changes_nothing(
    postgres: PostgresServer, database: str, store: PostgresStore
) -> None:
    with (
        raises_store_error(StoreError, LOST),
        inject_fault(postgres, database, terminate_connection(postgres)),
        lock_table(postgres, database, "segments"),
    ):
        set_rule(store)
    assert visible_ids(store) == ["r:a.md", "r:b.md"]
    set_rule(store)
    assert visible_ids(store) == ["r:b.md"]


def test_a_waiting_writer_with_a_dropped_connection_is_an_error(
    postgres: PostgresServer, database: str, store: PostgresStore
) -> None:
    with writing(store) as writes:
        with (
            raises_store_error(StoreError, LOST),
            inject_fault(postgres, database, terminate_connection(postgres)),
            writing(store),
        ):
            pass
        write(writes, [document("a.md", "three")])
        writes.publish()
    publish(store, document("c.md", "four"))
    assert visible_ids(store) == ["r:a.md", "r:b.md", "r:c.md"]


def test_dropped_idle_connections_are_replaced(
    postgres: PostgresServer, database: str, store: PostgresStore
) -> None:
    with ExitStack() as many:
        for _ in range(4):
            many.enter_context(store.open_session(local()))
    drop_all(postgres, database)
    assert visible_ids(store) == ["r:a.md", "r:b.md"]
    drop_all(postgres, database)
    set_rule(store)
    drop_all(postgres, database)
    publish(store, document("c.md", "three"))
    assert visible_ids(store) == ["r:b.md", "r:c.md"]


def test_a_statement_timeout_is_reported_as_busy(
    postgres: PostgresServer, database: str, store: PostgresStore, open_pooled: StoreOpener
) -> None:
    impatient = open_pooled(with_settings(database, "statement_timeout=300"))
    with (
        raises_store_error(StoreBusy, "statement_timeout"),
        lock_table(postgres, database, "vector_chunks"),
    ):
        publish(impatient, document("a.md", "three"))
    with (
        raises_store_error(StoreBusy, "statement_timeout"),
        lock_table(postgres, database, "change_counts"),
    ):
        publish(impatient, document("a.md", "three"))
    with (
        raises_store_error(StoreBusy, "statement_timeout"),
        lock_table(postgres, database, "change_counts"),
    ):
        set_rule(impatient)
    with (
        raises_store_error(StoreBusy, "statement_timeout"),
        impatient.open_session(local()) as reads,
        lock_table(postgres, database, "contents", readers=True),
    ):
        reads.versions()
    waiting_store = open_pooled(with_settings(database, "statement_timeout=300"), wait=1)
    with (
        raises_store_error(StoreBusy, "another ingest or prune has held r main for 1 s"),
        writing(store),
    ):
        publish(waiting_store, document("a.md", "three"))
    assert count_locks(postgres, database) == 0
    assert visible_ids(impatient) == ["r:a.md", "r:b.md"]
    publish(store, document("c.md", "three"))
    assert visible_ids(impatient) == ["r:a.md", "r:b.md", "r:c.md"]


def test_a_statement_timeout_of_one_millisecond_leaves_no_lock(
    database: str, open_pooled: StoreOpener
) -> None:
    """Every statement may be one too many: also those that let go of a lock."""
    patient = open_pooled(database)
    publish(patient, document("a.md", "one"))
    for _ in range(8):
        with may_raise_store_error(StoreBusy, "statement_timeout"):
            publish(
                open_pooled(with_settings(database, "statement_timeout=1")), document("a.md", "two")
            )
    publish(patient, document("a.md", "three"))
    assert patient.verify().problems == ()


def test_the_error_of_a_writer_that_waited_too_long_names_the_branch(
    database: str, store: PostgresStore, open_pooled: StoreOpener
) -> None:
    impatient = open_pooled(database, wait=0.1)
    with writing(store):
        with (
            raises_store_error(StoreBusy, "another ingest or prune has held r main for 0.1 s"),
            writing(impatient),
        ):
            pass
        with raises_store_error(
            StoreBusy, "an ingest of another branch has been under way for 0.1 s"
        ):
            impatient.prune("local", "r", "side", keep=1)
        with writing(impatient, branch="side"):
            pass
    impatient.prune("local", "r", "main", keep=1)


def test_a_process_that_is_killed_leaves_no_lock(
    postgres: PostgresServer, database: str, store: PostgresStore
) -> None:
    command = [sys.executable, "-c", HOLD, database]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        assert count_locks(postgres, database) > 0
        holder.kill()
    publish(store, document("c.md", "three"))
    assert visible_ids(store) == ["r:a.md", "r:b.md", "r:c.md"]


def test_exhausted_connections_are_reported_as_busy(
    own_postgres: PostgresServer, open_pooled: StoreOpener
) -> None:
    dsn = own_postgres.fresh_database()
    own_postgres.restart("-c max_connections=6")
    store = open_pooled(dsn)
    publish(store, document("a.md", "one"))
    drop_all(own_postgres, dsn)
    with ExitStack() as connections:
        with suppress(psycopg.OperationalError):
            while True:
                connections.enter_context(closing(psycopg.connect(dsn)))
        with raises_store_error(StoreBusy, "no connection left", "max_connections"):
            visible_ids(store)
        with raises_store_error(StoreBusy, "no connection left"):
            publish(store, document("b.md", "two"))
    drop_all(own_postgres, dsn)  # and until they are gone
    publish(store, document("b.md", "two"))
    assert visible_ids(store) == ["r:a.md", "r:b.md"]
