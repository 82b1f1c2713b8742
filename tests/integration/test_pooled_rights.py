"""A connection goes from reader to reader, and nothing of the one is left for the next."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress

import pytest
from psycopg.errors import DivisionByZero

from docgraph.adapters.postgres.connection import Connection, connect
from docgraph.adapters.postgres.pool import Pool
from docgraph.adapters.postgres.store import PostgresStore
from docgraph.interfaces.auth.principals import impersonated, local
from docgraph.model.access import LOCAL, AccessRule, Person, Principal
from docgraph.model.digest import canonical
from docgraph.model.errors import NotVisible, StoreBusy
from docgraph.model.snapshot import SnapshotSelector
from docgraph.ports.store import ReaderSession
from docgraph.ports.writes import SnapshotWriter
from tests.conformance.store_rules import OVERS, plan_of, vector, writing
from tests.support.small_world import document, write

GROUPS = ("red", "blue")
READERS = [impersonated(Person(group, LOCAL, frozenset({group})), local()) for group in GROUPS]
# What a session is like that nobody has used yet.
SESSION = """
    SELECT current_setting('role'), current_user = session_user,
           coalesce(current_setting('docgraph.access_classes', true), ''),
           coalesce(current_setting('docgraph.scope', true), ''),
           current_setting('transaction_read_only'), current_setting('transaction_isolation'),
           current_setting('synchronous_commit'), current_setting('lock_timeout'),
           current_setting('statement_timeout'), current_setting('plan_cache_mode'),
           current_setting('jit'), current_setting('join_collapse_limit'),
           (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid())
"""
UNUSED = ("none", True, "", "", "off", "read committed", "on", "7s", "0", "auto", "on", "8", 0)


@pytest.fixture
def pool(database: str) -> Iterator[Pool]:
    """One connection, for all there is. Its login waits for locks as its administrator says."""
    with closing(Pool(f"{database}&options=-c%20lock_timeout%3D7s", size=1, wait=5)) as pool:
        yield pool


@pytest.fixture
def store(pool: Pool) -> PostgresStore:
    store = PostgresStore(pool, now=lambda: "now", wait=5)
    publish(store, "one")
    publish(store, "two")
    return store


def publish(store: PostgresStore, version: str) -> None:
    """A document for each group, and one that both hold with the same text."""
    with writing(store) as writes:
        for group in GROUPS:
            rule = AccessRule(LOCAL, frozenset({group}))
            own = document(f"{group}.md", f"apples of {group} {version}", rule=rule, names=[group])
            write(writes, [own, document(f"{group}-twin.md", "the same", rule=rule)])
        writes.publish()


def session(pool: Pool) -> tuple[object, ...]:
    with pool.connection() as connection:
        row = connection.execute(SESSION).fetchone()
        assert row is not None
        return row


def connection_of(window: ReaderSession | SnapshotWriter) -> Connection:
    found: Connection = vars(vars(window)["_sql"])["_connection"]
    return found


def everything(reads: ReaderSession) -> str:
    ids = tuple(f"r:{group}{twin}.md" for group in GROUPS for twin in ("", "-twin"))
    search, texts = reads.search, reads.texts(plan_of(*ids))
    near = [search.nearest(vector("apples"), over=o, roll_up=True, top=9) for o in OVERS]
    found = (near, search.definers(GROUPS), reads.graph.visible_ids(ids), texts.full_texts(ids))
    return canonical((found, reads.versions(), list(reads.contents()), reads.counts())).decode()


def seen(store: PostgresStore, reader: Principal) -> str:
    with store.open_session(reader) as reads:
        return everything(reads)


# What may happen while somebody reads.


def nothing(store: PostgresStore, reader: Principal) -> None:
    assert f"apples of {reader.id}" in seen(store, reader)


def a_failure(store: PostgresStore, reader: Principal) -> None:
    with suppress(KeyError), store.open_session(reader) as reads:
        everything(reads)
        raise KeyError(reader.id)


def a_refusal(store: PostgresStore, reader: Principal) -> None:
    with pytest.raises(NotVisible), store.open_session(reader, (SnapshotSelector("absent"),)):
        pass


def an_error_of_the_server(store: PostgresStore, reader: Principal) -> None:
    with suppress(DivisionByZero), store.open_session(reader) as reads:
        connection_of(reads).execute("SELECT 1 / 0")


def an_error_that_is_swallowed(store: PostgresStore, reader: Principal) -> None:
    with store.open_session(reader) as reads, suppress(DivisionByZero):
        connection_of(reads).execute("SELECT 1 / 0")


def a_statement_that_is_cancelled(store: PostgresStore, reader: Principal) -> None:
    with suppress(StoreBusy), store.open_session(reader) as reads:
        connection = connection_of(reads)
        threading.Timer(0.02, connection.cancel).start()
        connection.execute("SELECT pg_sleep(10)")


def a_listing(store: PostgresStore, reader: Principal) -> None:
    assert [info.documents for info in store.snapshots(reader)] == [2, 2]


MISHAPS: tuple[Callable[[PostgresStore, Principal], None], ...] = (
    nothing,
    a_failure,
    a_refusal,
    an_error_of_the_server,
    an_error_that_is_swallowed,
    a_statement_that_is_cancelled,
    a_listing,
)


@pytest.mark.requirement(36)
def test_two_readers_alternate_on_one_connection(pool: Pool, store: PostgresStore) -> None:
    """Two hundred times, whatever happens to the one before."""
    with pool.connection() as connection:
        process = connection.info.backend_pid
    expected = [seen(store, reader) for reader in READERS]
    for turn in range(200):
        reader, other = READERS[turn % 2], GROUPS[1 - turn % 2]
        MISHAPS[turn // 2 % len(MISHAPS)](store, reader)
        assert session(pool) == UNUSED, turn
        found = seen(store, reader)
        assert found == expected[turn % 2]
        assert other not in found
    with pool.connection() as connection:
        assert connection.info.backend_pid == process


def test_two_threads_wait_for_one_connection(store: PostgresStore) -> None:
    expected = {reader.id: seen(store, reader) for reader in READERS}

    def often(reader: Principal) -> set[str]:
        return {seen(store, reader) for _ in range(25)}

    with ThreadPoolExecutor(4) as threads:
        for reader, found in zip(READERS * 2, threads.map(often, READERS * 2), strict=True):
            assert found == {expected[reader.id]}


def test_an_ingest_leaves_no_trace_in_its_session(pool: Pool, store: PostgresStore) -> None:
    """Neither one that ends well, nor one that fails."""
    assert session(pool) == UNUSED
    with suppress(KeyError), writing(store) as writes:
        write(writes, [document("c.md", "broken off")])
        raise KeyError("c.md")
    assert session(pool) == UNUSED
    with suppress(DivisionByZero), writing(store) as writes:
        write(writes, [document("c.md", "broken off")])
        connection_of(writes).execute("SELECT 1 / 0")
    assert session(pool) == UNUSED
    store.prune(LOCAL, "r", "main", 1)
    with store.access_policy(LOCAL) as book:
        book.set_manual_rule("r", ("red.md",), AccessRule(LOCAL))
    assert session(pool) == UNUSED


def test_a_writer_that_timed_out_leaves_no_trace(
    database: str, pool: Pool, store: PostgresStore
) -> None:
    impatient = PostgresStore(pool, now=lambda: "now", wait=0.05)
    with closing(Pool(database)) as other, writing(PostgresStore(other, now=lambda: "now")):
        with pytest.raises(StoreBusy), writing(impatient):
            pass
        assert session(pool) == UNUSED
    publish(impatient, "three")
    assert session(pool) == UNUSED


def test_rights_end_with_their_transaction_and_not_with_the_pool(database: str) -> None:
    """It is Postgres that takes them back, so no code of ours can forget to."""
    with closing(connect(database)) as connection:
        with connection.transaction():
            connection.execute("SELECT set_config('role', 'docgraph_reader', true)")
            connection.execute("SELECT set_config('docgraph.access_classes', '1,2,3', true)")
        assert connection.execute("SELECT count(*) FROM readable_classes()").fetchone() == (0,)
        assert connection.execute("SELECT current_user = session_user").fetchone() == (True,)
