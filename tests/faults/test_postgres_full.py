"""Without disk space an error is reported, the last snapshot is intact, and a retry works."""

import base64
import random
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from docgraph.adapters.postgres.store import PostgresStore
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import LOCAL_ONLY, AccessRule
from docgraph.model.access_policy import AccessFileRule, AccessFileRules
from docgraph.model.document import Document
from docgraph.model.errors import StoreError, StoreFull
from tests.conformance.published import publish
from tests.conformance.store_rules import writing
from tests.faults.fault_injection import count_locks, drop_all
from tests.faults.fault_store import StoreOpener, raises_store_error
from tests.support.postgres_server import PostgresServer, name_of
from tests.support.small_world import document, reference, write

STAFF = AccessRule("local", frozenset({"staff"}))
LINES = AccessFileRules((AccessFileRule(1, "*", LOCAL_ONLY),))
LONG, LONGER = 4_000_000, 1_000_000  # bytes
PRLIMIT = shutil.which("prlimit")
FULL = Path("/dev/full")
limited = pytest.mark.skipif(PRLIMIT is None, reason="there is no prlimit here")


def incompressible_document(path: str, size: int) -> Document:
    """A text that cannot be made shorter."""
    text = base64.b64encode(random.Random(size).randbytes(size * 3 // 4)).decode()
    return replace(document(path, "one"), text=f"one {text}")


def visible_versions(store: PostgresStore) -> dict[str, str]:
    with store.open_session(local()) as reads:
        return reads.versions()


@contextmanager
def no_space(server: PostgresServer, dsn: str, table: str) -> Iterator[None]:
    """What would be written to this empty table goes to a device that is always full."""
    query = "SELECT pg_relation_filepath(%s::regclass)"
    with closing(server.superuser(name_of(dsn))) as connection:
        connection.execute("CHECKPOINT")
        row = connection.execute(query, [f"docgraph.{table}"]).fetchone()
    assert row is not None
    file = server.folder / "data" / row[0]
    assert file.stat().st_size == 0
    aside = file.with_name(f"{file.name}.aside")
    drop_all(server, dsn)  # they may have the file open
    file.rename(aside)
    file.symlink_to(FULL)
    try:
        yield
    finally:
        drop_all(server, dsn)
        aside.rename(file)


def limit_files(server: PostgresServer, size: str) -> None:
    """No process that the server starts from now on can make a file longer than this."""
    owner = Path(f"/proc/{server.process}").stat()
    command = [str(PRLIMIT), "--pid", str(server.process), f"--fsize={size}:"]
    subprocess.run(command, check=True, user=owner.st_uid, group=owner.st_gid, cwd="/")


def switch_wal(server: PostgresServer, dsn: str, *, written: int = 0) -> int:
    """The server's log of changes begins a file, of which so much is written; how long is the
    longest table?"""
    with closing(server.superuser(name_of(dsn))) as connection:
        connection.execute("SELECT pg_switch_wal()")
        connection.execute("SELECT pg_logical_emit_message(false, '', repeat('x', %s))", [written])
        row = connection.execute("SELECT pg_total_relation_size('docgraph.contents')").fetchone()
    assert row is not None
    return int(row[0])


@pytest.mark.requirement(9)
@pytest.mark.skipif(not FULL.exists(), reason="there is no device here that is always full")
def test_a_full_disk_is_reported_and_the_last_snapshot_is_intact(
    own_postgres: PostgresServer, open_pooled: StoreOpener
) -> None:
    dsn = own_postgres.fresh_database()
    store = open_pooled(dsn)
    publish(store, document("a.md", "one"), document("b.md", "two"))
    before = visible_versions(store)
    anew = document("a.md", "three", references=[reference("r:a.md", "doc:b.md")])
    full = (StoreFull, "disk is full", "The last complete snapshot is intact")

    with no_space(own_postgres, dsn, "node_references"), raises_store_error(*full):
        publish(store, anew)
    assert visible_versions(store) == before
    with (
        no_space(own_postgres, dsn, "access_file_rules"),
        raises_store_error(*full),
        writing(store) as writes,
    ):
        write(writes, [anew])
        writes.access.set_file_rules(LINES)
        writes.publish()
    assert visible_versions(store) == before
    with (
        no_space(own_postgres, dsn, "manual_access_rules"),
        raises_store_error(*full),
        store.access_policy("local") as policies,
    ):
        policies.set_manual_rule("r", ("a.md",), STAFF)
    assert visible_versions(store) == before
    assert store.verify().problems == ()
    assert count_locks(own_postgres, dsn) == 0

    publish(store, anew)
    assert visible_versions(store).keys() == before.keys()
    assert visible_versions(store)["r:a.md"] != before["r:a.md"]
    assert store.verify().problems == ()


@limited
def test_an_exhausted_quota_is_reported_as_a_full_disk(
    own_postgres: PostgresServer, open_pooled: StoreOpener
) -> None:
    """To a server that is not the same: it has no state for it, only words."""
    dsn = own_postgres.fresh_database()
    store = open_pooled(dsn)
    publish(store, incompressible_document("a.md", LONG))
    before = visible_versions(store)
    limit_files(own_postgres, str(switch_wal(own_postgres, dsn) + 200_000))
    drop_all(own_postgres, dsn)
    with raises_store_error(StoreFull, "disk is full", "snapshot is intact", "File too large"):
        publish(store, incompressible_document("a.md", LONGER))
    assert visible_versions(store) == before
    limit_files(own_postgres, "unlimited")
    drop_all(own_postgres, dsn)
    publish(store, incompressible_document("a.md", LONGER))
    assert visible_versions(store) != before
    assert store.verify().problems == ()


@limited
def test_a_server_that_cannot_write_its_wal_loses_nothing(
    own_postgres: PostgresServer, open_pooled: StoreOpener
) -> None:
    """It gives up, and takes all connections with it."""
    own_postgres.restart("-c restart_after_crash=off")
    dsn = own_postgres.fresh_database()
    store = open_pooled(dsn)
    publish(store, document("a.md", "one"))
    before = visible_versions(store)
    switch_wal(own_postgres, dsn, written=LONG)
    limit_files(own_postgres, str(LONG // 2))
    drop_all(own_postgres, dsn)
    lost = (StoreError, "the connection to the server was lost", "whether the server runs")
    with raises_store_error(*lost), store.open_session(local()) as reads:
        with raises_store_error(StoreFull, "disk is full"):
            publish(store, document("a.md", "two"))
        reads.counts()
    assert "PANIC" in own_postgres.log()
    own_postgres.restart()
    assert visible_versions(store) == before
    publish(store, document("a.md", "two"))
    assert visible_versions(store) != before
    assert store.verify().problems == ()
