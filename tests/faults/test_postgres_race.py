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
from tests.faults.racer import DOCUMENTS
from tests.faults.strikes import locks_held, slow
from tests.faults.world import Opened
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

    def _goes_on(self) -> bool:
        time.sleep(0.02)
        return any(racer.poll() is None for racer in self.racers)

    def decides(self, seed: int) -> None:
        chance = random.Random(seed)
        while self._goes_on():
            with self.store.access_policy("local") as policies:
                policies.set_manual_rule("r", (f"{chance.randrange(4)}.md",), chance.choice(RULES))

    def prunes(self) -> None:
        while self._goes_on():
            for branch in BRANCHES:
                self.store.prune("local", "r", branch, keep=2)

    def reads(self, branch: str) -> None:
        while self._goes_on():
            with self.store.open_session(local(), (SnapshotSelector("r", branch),)) as reads:
                found = reads.search.nearest(vector("text"), over="chunks", roll_up=True, top=9)
                assert found
                assert {node for node, _ in found} <= reads.versions().keys()


@contextmanager
def race(store: PostgresStore, dsn: str) -> Iterator[Race]:
    command = [sys.executable, "-m", "tests.faults.racer", dsn]
    with ExitStack() as racers:
        started = [
            racers.enter_context(
                subprocess.Popen([*command, branch, str(ROUNDS)], cwd=ROOT, stderr=subprocess.PIPE)
            )
            for branch in BRANCHES
        ]
        yield Race(store, started)
        assert [racer.communicate(timeout=60)[1] for racer in started] == [b"", b""]


def test_two_processes_ingest_while_rules_change_and_snapshots_are_pruned(
    postgres: PostgresServer, database: str, opened: Opened
) -> None:
    """No deadlock, and in the end nothing is lost, doubled or in a wrong class."""
    store = opened(database)
    for branch in ("main", *BRANCHES):
        publish(store, *(document(f"{n}.md", f"text {n}") for n in range(5)), branch=branch)
    with (
        slow(postgres, database, seconds=0.01, access_classes="INSERT"),
        race(store, database) as racing,
        ThreadPoolExecutor(5) as others,
    ):
        works = [
            others.submit(racing.decides, 1),
            others.submit(racing.decides, 2),
            others.submit(racing.prunes),
            others.submit(racing.reads, "one"),
            others.submit(racing.reads, "two"),
        ]
        for work in works:
            work.result()
    assert store.verify().problems == ()
    assert locks_held(postgres, database) == 0
    for branch in BRANCHES:
        with store.open_session(local(), (SnapshotSelector("r", branch),)) as reads:
            assert reads.scope.snapshots[0].snapshot == ROUNDS + 1
            assert len(reads.versions()) >= DOCUMENTS - 4
