"""The audit log in a SQLite file of its own, so that writing it never waits for an ingest."""

import json
import os
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from docgraph.adapters.named_queries import named_queries
from docgraph.adapters.sqlite.audit_file import audit_errors, make_audit, meddled, open_audit
from docgraph.adapters.sqlite.connection import PACKAGE
from docgraph.model.audit import Anchor, AuditEntry, AuditEvent, AuditVerdict
from docgraph.model.audit_chain import NOTHING, SEAL_EVERY, Seal, examine, sealed
from docgraph.model.scope import SnapshotName

_SQL = named_queries(PACKAGE, "audit.sql")


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
            tenant = _storable(event.tenant)
            number, last = connection.execute(_SQL["newest"], {"tenant": tenant}).fetchone()
            # The clock is read inside the transaction, so that times stand in the rows' order.
            row = {"number": number + 1, "time": self._now(), **_row(event)}
            connection.execute(_SQL["add_entry"], row)
            if number + 1 - last >= SEAL_EVERY:
                _seal(connection, tenant)

    def seal(self, tenant: str) -> Anchor | None:
        if not self._path.exists():
            return None
        with self._writing() as connection:
            made = _seal(connection, _storable(tenant))
        return None if made is None else Anchor(tenant, made.last, made.digest)

    def entries(
        self, tenant: str, *, last: int | None = None, principal: str | None = None
    ) -> tuple[AuditEntry, ...]:
        asked = {
            "tenant": _storable(tenant),
            "who": None if principal is None else _storable(principal),
            "most": -1 if last is None else max(last, 0),
        }
        with self._reading() as connection:
            if connection is None:
                return ()
            return tuple(_entry(row) for row in connection.execute(_SQL["entries"], asked))

    def verify(self, tenant: str, anchor: Anchor | None = None) -> AuditVerdict:
        with self._reading() as connection:
            if connection is None:
                return examine(tenant, (), lambda _above, _last: (), anchor)
            changed = tuple(meddled(connection))
            words = tuple(problem for _, problem in changed)
            if any(kind == "table" for kind, _ in changed):
                return AuditVerdict(0, 0, words)
            mine = {"tenant": _storable(tenant)}
            seals = [Seal(*row) for row in connection.execute(_SQL["seals"], mine)]
            found = examine(tenant, seals, partial(_between, connection, mine["tenant"]), anchor)
            return AuditVerdict(found.rows, found.sealed, (*words, *found.problems))

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


def _close_all() -> None:
    for log in tuple(_WRITING):
        log.close()


# A connection must not cross a fork: rows that the child writes through it would be lost.
_WRITING: "weakref.WeakSet[SqliteAudit]" = weakref.WeakSet()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_close_all)


def _seal(connection: sqlite3.Connection, tenant: str) -> Seal | None:
    """The newest seal, after what waited for one has got it."""
    row = connection.execute(_SQL["last_seal"], {"tenant": tenant}).fetchone()
    before = NOTHING if row is None else Seal(*row)
    waiting = tuple(_between(connection, tenant, before.last, 2**63 - 1))
    if not waiting:
        return None if row is None else before
    made = sealed(waiting, before)
    connection.execute(_SQL["add_seal"], {"tenant": tenant, **asdict(made)})
    return made


def _between(
    connection: sqlite3.Connection, tenant: str, above: float, last: float
) -> Iterator[AuditEntry]:
    wanted = {"tenant": tenant, "above": above, "last": last}
    return map(_entry, connection.execute(_SQL["between"], wanted))


def _row(event: AuditEvent) -> dict[str, str]:
    names = [[name.repository, name.branch, name.snapshot] for name in event.snapshots]
    return {
        "tenant": _storable(event.tenant),
        "principal": _storable(event.principal),
        "asker": _storable(event.by),
        "action": _storable(event.action),
        "outcome": event.outcome,
        "plan": _storable(event.plan),
        "snapshots": _storable(json.dumps(names, ensure_ascii=False)),
        "detail": _storable(event.detail),
    }


def _storable(text: str) -> str:
    """Half a surrogate pair, as a file name may hold, is written out: SQLite takes UTF-8 only."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _entry(row: tuple[Any, ...]) -> AuditEntry:
    number, time, tenant, principal, asker, action, outcome, plan, snapshots, detail = row
    event = AuditEvent(
        tenant, principal, asker, action, outcome, plan, _snapshots(snapshots), detail
    )
    return AuditEntry(number, time, event)


def _snapshots(text: str) -> tuple[SnapshotName, ...]:
    """What no log of ours holds is kept as it stands, for `verify` to find."""
    strange = (SnapshotName(text, "", 0),)
    try:
        names = json.loads(text)
    except (ValueError, RecursionError):
        return strange
    if type(names) is not list:
        return strange
    for name in names:
        if type(name) is not list or [type(part) for part in name] != [str, str, int]:
            return strange
    return tuple(SnapshotName(*name) for name in names)
