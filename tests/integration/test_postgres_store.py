"""The Postgres store keeps the rules of every store, and some of its own."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing

import pytest

from docgraph.adapters.postgres.pool import Pool
from docgraph.adapters.postgres.store import PostgresStore
from docgraph.interfaces.auth.principals import local
from docgraph.ports.store import Store
from tests.conformance.access_rules import AccessRules
from tests.conformance.edge_rules import EdgeRules
from tests.conformance.edges_in_time_rules import EdgesInTimeRules
from tests.conformance.embedder_rules import EmbedderRules
from tests.conformance.queue_rules import Patient, QueueRules
from tests.conformance.shared_name_rules import SharedNameRules
from tests.conformance.state_rules import StateRules
from tests.conformance.stated_edge_rules import StatedEdgeRules
from tests.conformance.store_rules import StoreRules, writing
from tests.conformance.writer_rules import WriterRules
from tests.support.postgres_server import PostgresServer
from tests.support.small_world import document, write

Opened = Callable[..., PostgresStore]


@pytest.fixture
def opened() -> Iterator[Opened]:
    with ExitStack() as pools:

        def open_store(dsn: str, wait: float = 5) -> PostgresStore:
            pool = pools.enter_context(closing(Pool(dsn)))
            return PostgresStore(pool, now=lambda: "2020-01-01T00:00:00+00:00", wait=wait)

        yield open_store


class TestPostgresStore(
    StoreRules,
    StatedEdgeRules,
    EdgeRules,
    EdgesInTimeRules,
    SharedNameRules,
    WriterRules,
    AccessRules,
    EmbedderRules,
    QueueRules,
    StateRules,
):
    @pytest.fixture
    def store(self, database: str, opened: Opened) -> Iterator[Store]:
        store = opened(database)
        yield store
        assert store.verify().problems == ()

    @pytest.fixture
    def another_store(self, postgres: PostgresServer, opened: Opened) -> Callable[[], Store]:
        return lambda: opened(postgres.fresh_database())

    @pytest.fixture
    def patient(self, database: str, opened: Opened) -> Patient:
        return lambda wait: opened(database, wait)


def test_ingests_of_two_branches_go_on_side_by_side(database: str, opened: Opened) -> None:
    """They bring the same texts and vectors, in opposite orders."""
    store = opened(database)
    same = [document(f"{n}.md", f"text {n}") for n in range(20)]
    with writing(store, branch="one") as one, writing(store, branch="two") as two:
        for first, second in zip(same, reversed(same), strict=True):
            write(one, [first])
            write(two, [second])
        one.publish()
        two.publish()
    assert store.verify().problems == ()


def test_a_branch_that_is_published_late_is_known_whatever_came_before(
    database: str, opened: Opened
) -> None:
    """Its versions have lower numbers than those that readers know already."""
    store = opened(database)
    with writing(store) as late:
        write(late, [document("late.md", "one")])
        with writing(store, branch="side") as early:
            write(early, [document("early.md", "two")])
            early.publish()
        assert [info.documents for info in store.snapshots(local())] == [1]
        late.publish()
    assert [info.documents for info in store.snapshots(local())] == [1, 1]
    with store.open_session(local()) as reads:
        assert list(reads.versions()) == ["r:late.md"]
