"""Ingests, rules that change and upkeep at the same time: each waits where it has to."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from docgraph.adapters.postgres.store import PostgresStore
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import AccessRule
from tests.conformance.published import publish
from tests.conformance.store_rules import writing
from tests.faults.fault_injection import count_locks, slow_down
from tests.faults.fault_store import StoreOpener, with_settings
from tests.support.lexical_scores import counts_chunks, scores_of
from tests.support.postgres_server import PostgresServer
from tests.support.small_world import document, reference, write

STAFF = AccessRule("local", frozenset({"staff"}))


def set_rule(store: PostgresStore, path: str, *, after: Callable[[], None] = lambda: None) -> None:
    after()
    with store.access_policy("local") as policies:
        policies.set_manual_rule("r", (path,), STAFF)


@pytest.fixture
def store(
    postgres: PostgresServer, database: str, open_pooled: StoreOpener
) -> Iterator[PostgresStore]:
    """Whatever happens at once, in the end everything has its own class, and is there once."""
    store = open_pooled(database)
    yield store
    assert store.verify().problems == ()
    assert count_locks(postgres, database) == 0


@pytest.fixture
def executor() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as other:
        yield other


def test_a_rule_change_after_a_batch_applies_to_its_documents(
    store: PostgresStore,
) -> None:
    publish(store, document("a.md", "one"), document("b.md", "two"))
    with writing(store) as writes:
        write(writes, [document("a.md", "three"), document("b.md", "four")])
        set_rule(store, "a.md")
        writes.publish()
    with store.open_session(local()) as reads:
        assert list(reads.versions()) == ["r:b.md"]


def test_a_rule_change_during_a_merge_of_segments_is_applied(
    postgres: PostgresServer, database: str, store: PostgresStore, executor: ThreadPoolExecutor
) -> None:
    for number in range(4):
        publish(store, document(f"{number}.md", f"text {number}"))

    with writing(store) as writes:
        write(writes, [document("4.md", "text 4")])
        with slow_down(postgres, database, segments="DELETE") as merging:
            other = executor.submit(set_rule, store, "0.md", after=merging)
            writes.publish()
            other.result()
    with store.open_session(local()) as reads:
        (found, _) = scores_of(reads.search, ("text",), roll_up=True)
        assert len(found.owners) == 4
        assert counts_chunks(reads.search, ("text", "1", "2", "3", "4"), 4)


def test_a_rule_change_during_the_cleanup_of_an_ingest_is_consistent(
    postgres: PostgresServer, database: str, store: PostgresStore, executor: ThreadPoolExecutor
) -> None:
    publish(store, document("a.md", "one"))
    with writing(store) as writes:
        write(writes, [document("a.md", "two")])

    def next_one() -> None:
        with writing(store):
            pass

    with slow_down(
        postgres, database, node_references="DELETE", document_nodes="UPDATE"
    ) as removing:
        next_ = executor.submit(next_one)
        removing()
        set_rule(store, "a.md")
        next_.result()


def test_a_rule_change_while_references_are_added_is_consistent(
    postgres: PostgresServer, database: str, store: PostgresStore, executor: ThreadPoolExecutor
) -> None:
    publish(store, document("a.md", "one"))

    def add() -> None:
        with writing(store) as writes:
            writes.references.add({"a.md": [reference("r:a.md", "doc:b.md")]})
            writes.publish()

    with slow_down(postgres, database, node_references="INSERT") as adding:
        other = executor.submit(add)
        adding()
        set_rule(store, "a.md")
        other.result()


def test_a_login_with_repeatable_read_still_sees_the_transaction_before_it(
    postgres: PostgresServer, database: str, open_pooled: StoreOpener, executor: ThreadPoolExecutor
) -> None:
    store = open_pooled(with_settings(database, "default_transaction_isolation=serializable"))
    publish(store, document("a.md", "one"))
    with slow_down(postgres, database, snapshots="INSERT") as publishing:
        other = executor.submit(lambda: publish(store, document("b.md", "two")))
        publishing()
        set_rule(store, "a.md")
        other.result()
    assert store.verify().problems == ()
