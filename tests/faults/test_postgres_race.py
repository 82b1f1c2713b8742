"""Who could be in each other's way, all at once: two processes, their rules, and old snapshots."""

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from docgraph.adapters.postgres.store import PostgresStore
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import EVERYONE, LOCAL, AccessRule
from docgraph.model.snapshot import SnapshotSelector
from tests.conformance.published import publish
from tests.conformance.store_rules import vector
from tests.faults.concurrent_ingest import DOCUMENTS
from tests.faults.fault_injection import count_locks, slow_down
from tests.faults.fault_store import StoreOpener
from tests.support.postgres_server import PostgresServer
from tests.support.small_world import document

ROOT = Path(__file__).parents[2]
RULES = (
    AccessRule("local", frozenset({"staff"})),
    AccessRule("local", frozenset({LOCAL, EVERYONE})),
)
ROUNDS = 5
BRANCHES = ("one", "two")


@dataclass(frozen=True, slots=True)
class Race:
    store: PostgresStore
    racers: "list[subprocess.Popen[bytes]]"

    def _is_running(self) -> bool:
        time.sleep(0.02)
        return any(racer.poll() is None for racer in self.racers)

    def change_rules(self, seed: int) -> None:
        generator = random.Random(seed)
        while self._is_running():
            with self.store.access_policy("local") as policies:
                policies.set_manual_rule(
                    "r", (f"{generator.randrange(4)}.md",), generator.choice(RULES)
                )

    def prune(self) -> None:
        while self._is_running():
            for branch in BRANCHES:
                self.store.prune("local", "r", branch, keep=2)

    def read(self, branch: str) -> None:
        while self._is_running():
            with self.store.open_session(local(), (SnapshotSelector("r", branch),)) as reads:
                found = reads.search.nearest(vector("text"), over="chunks", roll_up=True, top=9)
                assert found
                assert {node for node, _ in found} <= reads.versions().keys()


@contextmanager
def race(store: PostgresStore, dsn: str) -> Iterator[Race]:
    command = [sys.executable, "-m", "tests.faults.concurrent_ingest", dsn]
    with ExitStack() as racers:
        started = [
            racers.enter_context(
                subprocess.Popen([*command, branch, str(ROUNDS)], cwd=ROOT, stderr=subprocess.PIPE)
            )
            for branch in BRANCHES
        ]
        yield Race(store, started)
        said = b"".join(racer.communicate(timeout=60)[1] for racer in started)
        errors = [line for line in said.splitlines() if not line.startswith(b"waiting for ")]
        assert errors == []


def test_two_processes_ingest_while_rules_change_and_snapshots_are_pruned(
    postgres: PostgresServer, database: str, open_pooled: StoreOpener
) -> None:
    """No deadlock, and in the end nothing is lost, doubled or in a wrong class."""
    store = open_pooled(database)
    for branch in ("main", *BRANCHES):
        publish(store, *(document(f"{n}.md", f"text {n}") for n in range(5)), branch=branch)
    with (
        slow_down(postgres, database, seconds=0.01, access_classes="INSERT"),
        race(store, database) as racing,
        ThreadPoolExecutor(5) as others,
    ):
        works = [
            others.submit(racing.change_rules, 1),
            others.submit(racing.change_rules, 2),
            others.submit(racing.prune),
            others.submit(racing.read, "one"),
            others.submit(racing.read, "two"),
        ]
        for work in works:
            work.result()
    assert store.verify().problems == ()
    assert count_locks(postgres, database) == 0
    for branch in BRANCHES:
        with store.open_session(local(), (SnapshotSelector("r", branch),)) as reads:
            assert reads.scope.snapshots[0].snapshot == ROUNDS + 1
            assert len(reads.versions()) >= DOCUMENTS - 4
