"""The audit log in a SQLite file of its own, so that writing it never waits for an ingest."""

import os
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from docgraph.adapters.sql.audit_rows import TAKES_NO_ROW, AuditRows
from docgraph.adapters.sqlite.audit_file import audit_errors, make_audit, meddled, open_audit
from docgraph.adapters.sqlite.database import SqliteQueries
from docgraph.model.audit import Anchor, AuditEntry, AuditEvent, AuditVerdict
from docgraph.model.audit_chain import examine
from docgraph.model.errors import StoreError


class SqliteAudit:
    """Made with the first row. Any number of threads and processes may write at once."""

    def __init__(self, path: Path, *, now: Callable[[], str], wait: float = 30) -> None:
        """`wait` is how many seconds a row queues behind rows of other processes."""
        self._path = path
        self._now = now
        self._wait = wait
        self._lock = threading.Lock()
        self._kept: tuple[object, sqlite3.Connection] | None = None
        self._let_go: Callable[[], object] = lambda: None

    def write(self, event: AuditEvent) -> None:
        with self._writing() as connection:
            # The clock is read inside the transaction, so that times stand in the rows' order.
            if not _rows(connection, event.tenant).add(event, self._now()):
                raise StoreError(f"{self._path}: {TAKES_NO_ROW}")

    def seal(self, tenant: str) -> Anchor | None:
        if not self._path.exists():
            return None
        with self._writing() as connection:
            return _rows(connection, tenant).seal()

    def entries(
        self, tenant: str, *, last: int | None = None, principal: str | None = None
    ) -> tuple[AuditEntry, ...]:
        with self._reading() as connection:
            if connection is None:
                return ()
            return _rows(connection, tenant).entries(last=last, principal=principal)

    def verify(self, tenant: str, anchor: Anchor | None = None) -> AuditVerdict:
        with self._reading() as connection:
            if connection is None:
                return examine(tenant, (), lambda _above, _last: (), anchor)
            return _rows(connection, tenant).verify(anchor, tuple(meddled(connection)))

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection | None]:
        """One read transaction, which no writer waits for; None where nobody wrote yet."""
        with audit_errors(self._path):
            if not self._path.exists():
                yield None
                return
            with closing(open_audit(self._path, self._wait)) as connection:
                connection.execute("BEGIN")
                yield connection

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock, audit_errors(self._path):
            connection = self._open()
            connection.execute("BEGIN IMMEDIATE")
            with connection:
                yield connection

    def _open(self) -> sqlite3.Connection:
        """Kept, since opening costs more than a row; anew if another file lies there, or none."""
        here = self._here()
        if self._kept is not None and self._kept[0] == here:
            return self._kept[1]
        self._kept = None
        self._let_go()
        if here is None:
            make_audit(self._path)
        connection = open_audit(self._path, self._wait)
        self._let_go = weakref.finalize(self, connection.close)
        self._kept = (self._here(), connection)
        _WRITING.add(self)
        return connection

    def _here(self) -> tuple[int, int] | None:
        """Which file it is; None if there is none."""
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return None
        return found.st_dev, found.st_ino

    def close(self) -> None:
        """Lets the file go until the next row."""
        with self._lock:
            self._kept = None
            self._let_go()


def _rows(connection: sqlite3.Connection, tenant: str) -> AuditRows:
    return AuditRows(SqliteQueries(connection, "audit.sql"), tenant)


def _close_all() -> None:
    for log in tuple(_WRITING):
        log.close()


# A connection must not cross a fork: rows that the child writes through it would be lost.
_WRITING: "weakref.WeakSet[SqliteAudit]" = weakref.WeakSet()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_close_all)
