"""The server is killed with SIGKILL, all of it: nothing is lost, and the same store goes on."""

import random
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass

import pytest

from docgraph.adapters.postgres.pool import Pool
from docgraph.adapters.postgres.store import PostgresStore
from docgraph.ingest.progress import Progress, ProgressEvent
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import AccessRule
from docgraph.model.errors import StoreError
from tests.conformance.published import publish
from tests.conformance.store_rules import vector
from tests.faults.fault_injection import count_locks, crash, inject_fault, lock_table
from tests.faults.fault_store import (
    Results,
    StoreOpener,
    ingest,
    may_raise_store_error,
    open_store,
    raises_store_error,
    read_results,
    with_password,
)
from tests.support.postgres_server import PostgresServer, name_of
from tests.support.small_world import document

LOST = "the connection to the server was lost"
KILLS = 3
STAFF = AccessRule("local", frozenset({"staff"}))
# What is not forced to the disk stays in the server's memory, and is lost with it.
FORGETFUL = "-c wal_writer_delay=10s -c synchronous_commit=off"
# The server sets numbers aside by 32, and forgets none of those; the last but one is next.
USED_UP = """
    SELECT count(nextval(name))
    FROM (SELECT name, setval(name, 100)
          FROM pg_get_serial_sequence('docgraph.segments', 'id') AS name) AS start,
         generate_series(1, 32)
"""


@dataclass(slots=True)
class Installation:
    """One store for all tests, and the expected results of each version."""

    server: PostgresServer
    dsn: str
    store: PostgresStore
    expected: list[Results]
    held: int = 0

    def kill(self, _: object = None) -> None:
        self.server.kill()

    def check_recovery(self) -> None:
        """After a kill: the old snapshot as it was, the new one with the next try."""
        self.server.start()
        assert read_results(self.store) == self.expected[self.held]
        assert self.store.verify().problems == ()
        ingest(self.store, 1 - self.held)
        self.held = 1 - self.held
        assert read_results(self.store) == self.expected[self.held]
        assert self.store.verify().problems == ()
        assert count_locks(self.server, self.dsn) == 0


@pytest.fixture(scope="module")
def installation(own_postgres: PostgresServer) -> Iterator[Installation]:
    expected: list[Results] = []
    with closing(Pool(own_postgres.fresh_database())) as pool:
        for version in (0, 1):
            store = open_store(pool)
            ingest(store, version)
            expected.append(read_results(store))
    dsn = own_postgres.fresh_database()
    with closing(Pool(with_password(dsn))) as pool:
        store = open_store(pool)
        ingest(store, 0)
        yield Installation(own_postgres, dsn, store, expected)


@pytest.mark.requirement(9)
@pytest.mark.parametrize(
    "table",
    [
        pytest.param("vectors", id="before the first batch"),
        pytest.param("vector_chunks", id="inside a batch"),
        pytest.param("postings", id="while words are packed"),
        pytest.param("change_counts", id="as it is about to publish"),
        pytest.param("snapshots", id="while it publishes"),
    ],
)
def test_a_kill_during_an_ingest_keeps_the_last_snapshot(
    installation: Installation, table: str
) -> None:
    with (
        raises_store_error(StoreError, LOST, "Nothing unfinished can be seen"),
        inject_fault(installation.server, installation.dsn, installation.kill),
        lock_table(installation.server, installation.dsn, table),
    ):
        ingest(installation.store, 1 - installation.held)
    installation.check_recovery()


@pytest.mark.parametrize("phase", ["reading", "relations"])
def test_a_kill_between_batches_keeps_the_last_snapshot(
    installation: Installation, phase: str
) -> None:
    def kill(progress: ProgressEvent) -> None:
        """After the first batch, which has at most 64 files."""
        if isinstance(progress, Progress) and (progress.phase, progress.done) == (phase, 65):
            installation.kill()

    with raises_store_error(StoreError, LOST):
        ingest(installation.store, 1 - installation.held, kill)
    installation.check_recovery()


def test_a_kill_at_a_random_moment_leaves_a_complete_snapshot(installation: Installation) -> None:
    """It may be done just before."""
    generator = random.Random(5)
    for _ in range(KILLS):
        fault = threading.Timer(generator.random() * 0.5, installation.kill)
        fault.start()
        with may_raise_store_error(StoreError, LOST):
            ingest(installation.store, 1 - installation.held)
        fault.join()
        installation.server.start()
        installation.held = installation.expected.index(read_results(installation.store))
        assert installation.store.verify().problems == ()


def test_a_kill_during_a_question_is_an_error_and_the_next_one_works(
    installation: Installation,
) -> None:
    with raises_store_error(StoreError, LOST), installation.store.open_session(local()) as reads:
        assert reads.counts()
        installation.kill()
        reads.counts()
    with raises_store_error(StoreError, "whether the server runs"):
        read_results(installation.store)
    installation.server.start()
    with (
        raises_store_error(StoreError, LOST),
        inject_fault(installation.server, installation.dsn, installation.kill),
        installation.store.open_session(local()) as reads,
        lock_table(installation.server, installation.dsn, "contents", readers=True),
    ):
        reads.versions()
    installation.server.start()
    assert read_results(installation.store) == installation.expected[installation.held]


def test_a_change_of_rules_is_atomic(installation: Installation) -> None:
    def decide() -> None:
        with installation.store.access_policy("local") as policies:
            policies.set_manual_rule("r", ("s30.md", "s31.md"), STAFF)

    with (
        raises_store_error(StoreError, LOST),
        inject_fault(installation.server, installation.dsn, installation.kill),
        lock_table(installation.server, installation.dsn, "segments"),
    ):
        decide()
    installation.server.start()
    assert read_results(installation.store) == installation.expected[installation.held]
    assert installation.store.verify().problems == ()
    decide()
    with installation.store.open_session(local()) as reads:
        assert not reads.versions().keys() & {"r:s30.md", "r:s31.md"}
    with installation.store.access_policy("local") as policies:
        policies.reset("r", ("s30.md", "s31.md"))
    assert read_results(installation.store) == installation.expected[installation.held]


def nearest_nodes(store: PostgresStore) -> tuple[tuple[str, int], ...]:
    with store.open_session(local()) as reads:
        return reads.search.nearest(vector("text"), over="chunks", roll_up=True, top=99)


def kill_and_start(server: PostgresServer, _: str) -> None:
    server.kill()
    server.start(FORGETFUL)


@pytest.mark.parametrize("kill", [kill_and_start, crash])
def test_readers_cache_nothing_that_the_server_has_lost(
    own_postgres: PostgresServer,
    open_pooled: StoreOpener,
    kill: Callable[[PostgresServer, str], None],
) -> None:
    """Killed as a whole; or one of its processes, which makes it give up all others."""
    own_postgres.restart(FORGETFUL)
    dsn = own_postgres.fresh_database()
    store = open_pooled(dsn)
    for number in range(4):
        publish(store, document(f"{number}.md", f"text {number}"))
    with closing(own_postgres.superuser(name_of(dsn))) as connection:
        connection.execute(USED_UP)
    publish(store, document("4.md", "text 4"))  # now segments are so many that they are merged
    before = nearest_nodes(store)
    kill(own_postgres, dsn)
    assert nearest_nodes(store) == before
    publish(store, document("5.md", "another text"), document("0.md", "text anew"))
    assert nearest_nodes(store) == nearest_nodes(open_pooled(dsn))
    assert store.verify().problems == ()
    own_postgres.restart()


def test_readers_follow_a_server_that_was_restored_to_an_earlier_state(
    own_postgres: PostgresServer, open_pooled: StoreOpener
) -> None:
    """From a backup; or another takes its installation, without the last changes."""
    dsn = own_postgres.fresh_database()
    store = open_pooled(dsn)
    publish(store, document("a.md", "text one"))
    data, backup = own_postgres.folder / "data", own_postgres.folder / "backup"
    own_postgres.stop()
    subprocess.run(["cp", "-a", data, backup], check=True)
    own_postgres.start()
    publish(store, document("a.md", "text two"), document("b.md", "a text, soon to be forgotten"))
    assert len(nearest_nodes(store)) == 2
    own_postgres.stop()
    shutil.rmtree(data)
    backup.rename(data)
    own_postgres.start()
    publish(store, document("c.md", "text three"), document("d.md", "and a text more"))
    assert nearest_nodes(store) == nearest_nodes(open_pooled(dsn))
    assert [node for node, _ in nearest_nodes(store)] == ["r:c.md", "r:a.md", "r:d.md"]


def test_a_confirmed_change_of_a_rule_survives_a_kill(
    own_postgres: PostgresServer, open_pooled: StoreOpener
) -> None:
    own_postgres.restart(FORGETFUL)
    dsn = own_postgres.fresh_database()
    store = open_pooled(dsn)
    publish(store, document("a.md", "one"), document("b.md", "two"))
    with open_pooled(dsn).access_policy("local") as policies:
        policies.set_manual_rule("r", ("a.md",), STAFF)
    own_postgres.kill()
    own_postgres.start()
    with store.open_session(local()) as reads:
        assert list(reads.versions()) == ["r:b.md"]
