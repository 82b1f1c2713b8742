"""Audit logs for tests: created, filled, and opened with raw SQL, on either store."""

import itertools
import sqlite3
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import Any, Protocol

from docgraph.adapters.sqlite.server_tables import SqliteAuditLog
from docgraph.model.audit import SUCCEEDED, Anchor, AuditEvent
from docgraph.model.snapshot import SnapshotName
from docgraph.ports.audit import AuditLog

EVENT = AuditEvent(
    tenant="t",
    principal="ann",
    authenticated_by="",
    action="context",
    outcome=SUCCEEDED,
    plan="d1" * 32,
    snapshots=(SnapshotName("notes", "main", 3), SnapshotName("r:%", "é", 1)),
    detail="",
)


Clock = Callable[[], str]


def ticks() -> Clock:
    """A clock that has moved on whenever it is read."""
    read = itertools.count()
    return lambda: f"2026-01-01T00:00:00.{next(read):06}"


def fill(log: AuditLog, count: int, tenant: str = "t") -> None:
    for number in range(count):
        log.write(replace(EVENT, tenant=tenant, detail=f"q{number}"))


def make_anchor(log: AuditLog) -> Anchor:
    anchor = log.seal("t")
    assert anchor is not None
    return anchor


def program(address: str, opening: str, text: str) -> Sequence[str]:
    return sys.executable, "-c", f"import sys\n{dedent(opening)}\n{text}", address


class CursorResult(Protocol):
    """What a statement did."""

    @property
    def rowcount(self) -> int: ...

    def fetchall(self) -> list[Any]: ...


# Runs SQL in which the tables are called `entries` and `seals`, whatever they are called.
Execute = Callable[[str], CursorResult]


class AuditStorage(Protocol):
    """Where a log is kept, and how somebody with every right there gets at it."""

    @property
    def refusal(self) -> type[Exception]:
        """How the database refuses a row that breaks a rule."""
        ...

    def log(self, *, wait: float = 30, now: Clock | None = None) -> AuditLog:
        """Another one on the same rows."""
        ...

    def raw(self) -> AbstractContextManager[Execute]:
        """Another hand, with every right: all that it does counts, or nothing."""
        ...

    def unguarded(self) -> AbstractContextManager[Execute]:
        """One that takes the triggers off, and puts them back so that nothing looks amiss."""
        ...

    def program(self, text: str) -> Sequence[str]:
        """A command that runs `text` with a log on the same rows as `log`, and `close_log`."""
        ...


class SqliteAuditStorage:
    refusal = sqlite3.IntegrityError

    def __init__(self, path: Path) -> None:
        self.path = path

    def log(self, *, wait: float = 30, now: Clock | None = None) -> SqliteAuditLog:
        return SqliteAuditLog(self.path, now=now or ticks(), wait=wait)

    @contextmanager
    def raw(self) -> Iterator[Execute]:
        with closing(sqlite3.connect(self.path)) as connection, connection:
            yield connection.execute

    @contextmanager
    def unguarded(self) -> Iterator[Execute]:
        with self.raw() as run:
            made = run("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
            for name, _ in made:
                run(f"DROP TRIGGER {name}")
            yield run
            for _, sql in made:
                run(sql)

    def program(self, text: str) -> Sequence[str]:
        opening = """
            from pathlib import Path
            from docgraph.adapters.sqlite.server_tables import SqliteAuditLog
            log = SqliteAuditLog(Path(sys.argv[1]), now=lambda: "now")
            close_log = log.close
        """
        return program(str(self.path), opening, text)
