"""The audit log in a SQLite file of its own, so that writing it never waits for an ingest."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

from docgraph.adapters.sql.audit_rows import TAKES_NO_ROW, AuditRows
from docgraph.adapters.sqlite.audit_file import AUDIT_LOG, meddled
from docgraph.adapters.sqlite.database import SqliteQueries
from docgraph.adapters.sqlite.kept_file import KeptFile
from docgraph.model.audit import Anchor, AuditEntry, AuditEvent, AuditVerdict
from docgraph.model.audit_chain import examine
from docgraph.model.errors import StoreError


class SqliteAudit:
    def __init__(self, path: Path, *, now: Callable[[], str], wait: float = 30) -> None:
        """`wait` is how many seconds a row queues behind rows of other processes."""
        self._file = KeptFile(AUDIT_LOG, path, wait)
        self._now = now

    def write(self, event: AuditEvent) -> None:
        with self._file.writing() as connection:
            # The clock is read inside the transaction, so that times stand in the rows' order.
            if not _rows(connection, event.tenant).add(event, self._now()):
                raise StoreError(f"{self._file.path}: {TAKES_NO_ROW}")

    def seal(self, tenant: str) -> Anchor | None:
        if not self._file.path.exists():
            return None
        with self._file.writing() as connection:
            return _rows(connection, tenant).seal()

    def entries(
        self, tenant: str, *, last: int | None = None, principal: str | None = None
    ) -> tuple[AuditEntry, ...]:
        with self._file.reading() as connection:
            if connection is None:
                return ()
            return _rows(connection, tenant).entries(last=last, principal=principal)

    def verify(self, tenant: str, anchor: Anchor | None = None) -> AuditVerdict:
        with self._file.reading() as connection:
            if connection is None:
                return examine(tenant, (), lambda _above, _last: (), anchor)
            return _rows(connection, tenant).verify(anchor, tuple(meddled(connection)))

    def close(self) -> None:
        """Lets the file go until the next row."""
        self._file.close()


def _rows(connection: sqlite3.Connection, tenant: str) -> AuditRows:
    return AuditRows(SqliteQueries(connection, "audit.sql"), tenant)
