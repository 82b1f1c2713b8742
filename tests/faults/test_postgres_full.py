"""A server that finds no space: said in words, the old snapshot is whole, the next try works."""

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
from tests.faults.strikes import drop_all, locks_held
from tests.faults.world import Opened, reports
from tests.support.postgres_server import PostgresServer, name_of
from tests.support.small_world import document, reference, write

STAFF = AccessRule("local", frozenset({"staff"}))
LINES = AccessFileRules((AccessFileRule(1, "*", LOCAL_ONLY),))
LONG, LONGER = 4_000_000, 1_000_000  # bytes
PRLIMIT = shutil.which("prlimit")
FULL = Path("/dev/full")
limited = pytest.mark.skipif(PRLIMIT is None, reason="there is no prlimit here")


def noise(path: str, size: int) -> Document:
    """A text that cannot be made shorter."""
    text = base64.b64encode(random.Random(size).randbytes(size * 3 // 4)).decode()
    return replace(document(path, "one"), text=f"one {text}")


def seen(store: PostgresStore) -> dict[str, str]:
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


def new_log(server: PostgresServer, dsn: str, *, written: int = 0) -> int:
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
def test_a_full_disk(own_postgres: PostgresServer, opened: Opened) -> None:
    dsn = own_postgres.fresh_database()
    store = opened(dsn)
    publish(store, document("a.md", "one"), document("b.md", "two"))
    before = seen(store)
    anew = document("a.md", "three", references=[reference("r:a.md", "doc:b.md")])
    full = (StoreFull, "disk is full", "The last complete snapshot is intact")

    with no_space(own_postgres, dsn, "node_references"), reports(*full):
        publish(store, anew)
    assert seen(store) == before
    with no_space(own_postgres, dsn, "access_file_rules"), reports(*full), writing(store) as writes:
        write(writes, [anew])
        writes.access.set_file_rules(LINES)
        writes.publish()
    assert seen(store) == before
    with (
        no_space(own_postgres, dsn, "manual_access_rules"),
        reports(*full),
        store.access_policy("local") as policies,
    ):
        policies.set_manual_rule("r", ("a.md",), STAFF)
    assert seen(store) == before
    assert store.verify().problems == ()
    assert locks_held(own_postgres, dsn) == 0

    publish(store, anew)
    assert seen(store).keys() == before.keys()
    assert seen(store)["r:a.md"] != before["r:a.md"]
    assert store.verify().problems == ()


@limited
def test_an_exhausted_quota(own_postgres: PostgresServer, opened: Opened) -> None:
    """To a server that is not the same: it has no state for it, only words."""
    dsn = own_postgres.fresh_database()
    store = opened(dsn)
    publish(store, noise("a.md", LONG))
    before = seen(store)
    limit_files(own_postgres, str(new_log(own_postgres, dsn) + 200_000))
    drop_all(own_postgres, dsn)
    with reports(StoreFull, "disk is full", "snapshot is intact", "File too large"):
        publish(store, noise("a.md", LONGER))
    assert seen(store) == before
    limit_files(own_postgres, "unlimited")
    drop_all(own_postgres, dsn)
    publish(store, noise("a.md", LONGER))
    assert seen(store) != before
    assert store.verify().problems == ()


@limited
def test_a_server_that_cannot_even_write_its_log(
    own_postgres: PostgresServer, opened: Opened
) -> None:
    """It gives up, and takes all connections with it."""
    own_postgres.restart("-c restart_after_crash=off")
    dsn = own_postgres.fresh_database()
    store = opened(dsn)
    publish(store, document("a.md", "one"))
    before = seen(store)
    new_log(own_postgres, dsn, written=LONG)
    limit_files(own_postgres, str(LONG // 2))
    drop_all(own_postgres, dsn)
    lost = (StoreError, "the connection to the server was lost", "whether the server runs")
    with reports(*lost), store.open_session(local()) as reads:
        with reports(StoreFull, "disk is full"):
            publish(store, document("a.md", "two"))
        reads.counts()
    assert "PANIC" in own_postgres.log()
    own_postgres.restart()
    assert seen(store) == before
    publish(store, document("a.md", "two"))
    assert seen(store) != before
    assert store.verify().problems == ()
