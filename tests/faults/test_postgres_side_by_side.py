"""Ingests, rules that change and upkeep at the same time: each waits where it has to."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from docgraph.adapters.postgres.store import PostgresStore
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import AccessRule
from tests.conformance.published import publish
from tests.conformance.store_rules import writing
from tests.faults.strikes import locks_held, slow
from tests.faults.world import Opened, having
from tests.support.lexical_scores import counts_chunks, scores_of
from tests.support.postgres_server import PostgresServer
from tests.support.small_world import document, reference, write

STAFF = AccessRule("local", frozenset({"staff"}))


def decide(store: PostgresStore, path: str, *, after: Callable[[], None] = lambda: None) -> None:
    after()
    with store.access_policy("local") as policies:
        policies.set_manual_rule("r", (path,), STAFF)


@pytest.fixture
def store(postgres: PostgresServer, database: str, opened: Opened) -> Iterator[PostgresStore]:
    """Whatever happens at once, in the end everything has its own class, and is there once."""
    store = opened(database)
    yield store
    assert store.verify().problems == ()
    assert locks_held(postgres, database) == 0


@pytest.fixture
def beside() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as other:
        yield other


def test_a_rule_that_changes_after_a_batch_counts_for_what_the_batch_wrote(
    store: PostgresStore,
) -> None:
    publish(store, document("a.md", "one"), document("b.md", "two"))
    with writing(store) as writes:
        write(writes, [document("a.md", "three"), document("b.md", "four")])
        decide(store, "a.md")
        writes.publish()
    with store.open_session(local()) as reads:
        assert list(reads.versions()) == ["r:b.md"]


def test_a_rule_that_changes_while_segments_are_merged(
    postgres: PostgresServer, database: str, store: PostgresStore, beside: ThreadPoolExecutor
) -> None:
    for number in range(4):
        publish(store, document(f"{number}.md", f"text {number}"))

    with writing(store) as writes:
        write(writes, [document("4.md", "text 4")])
        with slow(postgres, database, segments="DELETE") as merging:
            other = beside.submit(decide, store, "0.md", after=merging)
            writes.publish()
            other.result()
    with store.open_session(local()) as reads:
        (found, _) = scores_of(reads.search, ("text",), roll_up=True)
        assert len(found.owners) == 4
        assert counts_chunks(reads.search, ("text", "1", "2", "3", "4"), 4)


def test_a_rule_that_changes_while_an_unfinished_ingest_is_cleaned_up(
    postgres: PostgresServer, database: str, store: PostgresStore, beside: ThreadPoolExecutor
) -> None:
    publish(store, document("a.md", "one"))
    with writing(store) as writes:
        write(writes, [document("a.md", "two")])

    def next_one() -> None:
        with writing(store):
            pass

    with slow(postgres, database, node_references="DELETE", document_nodes="UPDATE") as removing:
        next_ = beside.submit(next_one)
        removing()
        decide(store, "a.md")
        next_.result()


def test_a_rule_that_changes_while_references_are_added(
    postgres: PostgresServer, database: str, store: PostgresStore, beside: ThreadPoolExecutor
) -> None:
    publish(store, document("a.md", "one"))

    def add() -> None:
        with writing(store) as writes:
            writes.references.add({"a.md": [reference("r:a.md", "doc:b.md")]})
            writes.publish()

    with slow(postgres, database, node_references="INSERT") as adding:
        other = beside.submit(add)
        adding()
        decide(store, "a.md")
        other.result()


def test_a_login_with_repeatable_read_still_sees_the_transaction_before_it(
    postgres: PostgresServer, database: str, opened: Opened, beside: ThreadPoolExecutor
) -> None:
    store = opened(having(database, "default_transaction_isolation=serializable"))
    publish(store, document("a.md", "one"))
    with slow(postgres, database, snapshots="INSERT") as publishing:
        other = beside.submit(lambda: publish(store, document("b.md", "two")))
        publishing()
        decide(store, "a.md")
        other.result()
    assert store.verify().problems == ()
