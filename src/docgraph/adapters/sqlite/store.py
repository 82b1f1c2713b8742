"""The embedded store: `reads_as` and `writes` are the ways in, the rest is upkeep."""

import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from docgraph.adapters.sqlite.access_book import SqliteAccessBook
from docgraph.adapters.sqlite.connection import connect, create_or_check, plain_errors
from docgraph.adapters.sqlite.prune import prune
from docgraph.adapters.sqlite.reads import SegmentCache, SqliteReads
from docgraph.adapters.sqlite.snapshots import list_snapshots
from docgraph.adapters.sqlite.verify import verify
from docgraph.adapters.sqlite.visible import Rows, load_rows, see
from docgraph.adapters.sqlite.writes import SqliteWrites
from docgraph.model.access import Principal
from docgraph.model.errors import StoreBusy
from docgraph.model.question import EmbedderIdentity
from docgraph.model.scope import EVERYTHING, Wanted
from docgraph.model.snapshot import Pruned, SnapshotInfo, Verified


class SqliteStore:
    def __init__(self, path: Path, *, now: Callable[[], str], wait: float = 600) -> None:
        """`wait` is how many seconds a second ingest queues behind a first."""
        create_or_check(path)
        self._path = path
        self._now = now
        self._wait = wait
        self._segments = SegmentCache()
        self._rows: Rows | None = None
        self._lock = threading.Lock()

    @contextmanager
    def reads_as(
        self, principal: Principal, wanted: Sequence[Wanted] = EVERYTHING
    ) -> Iterator[SqliteReads]:
        with self._reading() as connection:
            visible = see(self._current(connection), principal, wanted)
            visible.guard(connection)
            yield SqliteReads(connection, visible, self._segments)

    def _current(self, connection: sqlite3.Connection) -> Rows:
        """The rows as of this transaction; kept until a publication or a rule changes them."""
        (changes,) = connection.execute("SELECT value FROM meta WHERE key = 'changes'").fetchone()
        with self._lock:
            if self._rows is None or self._rows.changes != changes:
                self._rows = load_rows(connection, changes)
                self._segments.keep({n for (n,) in connection.execute("SELECT id FROM segments")})
            return self._rows

    def snapshots(self, principal: Principal) -> tuple[SnapshotInfo, ...]:
        with self._reading() as connection:
            return list_snapshots(self._current(connection), principal)

    def verify(self) -> Verified:
        with self._reading() as connection:
            return verify(connection, load_rows(connection, 0))

    def prune(self, tenant: str, repository: str, branch: str, keep: int) -> Pruned:
        with self._writing() as connection:
            return prune(connection, tenant, repository, branch, keep)

    @contextmanager
    def access_book(self, tenant: str) -> Iterator[SqliteAccessBook]:
        with plain_errors(self._path):
            connection = connect(self._path)
            try:
                yield SqliteAccessBook(connection, tenant)
            finally:
                connection.close()

    @contextmanager
    def writes(
        self, tenant: str, repository: str, branch: str, embedder: EmbedderIdentity
    ) -> Iterator[SqliteWrites]:
        with self._writing() as connection:
            yield SqliteWrites(connection, tenant, repository, branch, embedder, self._now)

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """One read transaction: nothing changes while it is open."""
        with plain_errors(self._path):
            connection = connect(self._path)
            try:
                connection.execute("BEGIN")
                yield connection
            finally:
                connection.close()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Alone: a second writer queues until the first is done."""
        lock = FileLock(f"{self._path}.ingest.lock")
        try:
            lock.acquire(timeout=self._wait)
        except Timeout as error:
            raise StoreBusy(
                f"{self._path}: another ingest has held this store for {self._wait:g} s; "
                "wait for it to end, then try again"
            ) from error
        try:
            with plain_errors(self._path):
                connection = connect(self._path)
                try:
                    yield connection
                finally:
                    connection.close()
        finally:
            lock.release()
