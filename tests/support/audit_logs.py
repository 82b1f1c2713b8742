"""Audit logs for tests: made, filled, and opened by another hand."""

import itertools
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from docgraph.adapters.sqlite.audit import SqliteAudit
from docgraph.model.audit import ANSWERED, Anchor, AuditEvent
from docgraph.model.scope import SnapshotName

EVENT = AuditEvent(
    tenant="t",
    principal="ann",
    by="",
    action="context",
    outcome=ANSWERED,
    plan="d1" * 32,
    snapshots=(SnapshotName("notes", "main", 3), SnapshotName("r:%", "é", 1)),
    detail="",
)


def log_on(path: Path, wait: float = 30) -> SqliteAudit:
    ticks = itertools.count()
    return SqliteAudit(path, now=lambda: f"2026-01-01T00:00:00.{next(ticks):06}", wait=wait)


def fill(log: SqliteAudit, count: int, tenant: str = "t") -> None:
    for number in range(count):
        log.write(replace(EVENT, tenant=tenant, detail=f"q{number}"))


def anchored(log: SqliteAudit) -> Anchor:
    anchor = log.seal("t")
    assert anchor is not None
    return anchor


@contextmanager
def raw(path: Path) -> Iterator[sqlite3.Connection]:
    """Another hand, with SQLite and the right to write the file."""
    with closing(sqlite3.connect(path)) as connection, connection:
        yield connection
