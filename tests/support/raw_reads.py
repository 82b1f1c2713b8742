"""Tables that are read past the views. SQLite tells, whenever it compiles a statement."""

import inspect
import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any
from unittest import mock

from docgraph.adapters.sql.database import script
from docgraph.adapters.sqlite.connection import PACKAGE, connect
from docgraph.adapters.sqlite.reader_pool import Reader, ReaderPool
from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.interfaces.auth.principals import local
from tests.support.store_modules import ADAPTERS, SHARED

TABLES = frozenset(re.findall(r"^CREATE TABLE (\w+)", script(PACKAGE, "schema.sql"), re.MULTILINE))
VIEWS = frozenset(
    re.findall(r"^CREATE TEMP VIEW .*?(\w+) AS", script(PACKAGE, "visible.sql"), re.MULTILINE)
)
# Of the file, for clients of SQL: it shows every row, so that no reader may name it.
STORED_VIEWS = frozenset({"document_relationships"})
_VERSIONS = frozenset({"branches", "document_embeddings", "documents", "snapshots"})
# Where reads begin: the one place that loads what `visible` is made of, and whether it changed.
ALLOWED = {
    ("sql.version_table", "load_rows"): _VERSIONS,
    ("sql.version_table", "extend_rows"): _VERSIONS,
    ("sql.version_table", "_load_rules"): frozenset({"access_classes"}),
    ("sql.tenant_state", "_load"): frozenset({"branches", "segments"}),
    ("sql.tenant_state", "require_complete"): frozenset({"complete_indexes"}),
    ("sql.tenant_state", "read_counted"): frozenset({"change_counts"}),
}
# Runs for others what they name.
RUNS_QUERIES = f"{PACKAGE}.database"


@dataclass(frozen=True, slots=True, order=True)
class RawRead:
    """Who in the store reads which table, past all views."""

    module: str
    function: str
    table: str

    @property
    def is_allowed(self) -> bool:
        return self.table in ALLOWED.get((self.module, self.function), frozenset())


@dataclass(slots=True)
class Watch:
    """Hears of every table that the store's connections are about to read."""

    raw: set[RawRead] = field(default_factory=set)
    views: set[str] = field(default_factory=set)
    connection: sqlite3.Connection | None = None

    def connect(self, path: Path) -> sqlite3.Connection:
        self.connection = connect(path)
        self.connection.set_authorizer(self._authorize)
        return self.connection

    def _authorize(
        self,
        action: int,
        table: str | None,
        column: str | None,
        database: str | None,
        via: str | None,
    ) -> int:
        """`via` is the innermost view that names the table.

        A table without a column is one of which nothing but the rows count. It is asked for last,
        when a view may be dissolved in the statement: then it bears the `main` of visible.sql.
        """
        dissolved = not column and database == "main"
        if action == sqlite3.SQLITE_READ and table in TABLES and not dissolved:
            if via is not None and via in VIEWS:
                self.views.add(via)
            else:
                self.raw.add(RawRead(*_asker(), str(table)))
        return sqlite3.SQLITE_OK


def _asker() -> tuple[str, str]:
    """The function of the store that names the query; nobody, if a test does."""
    frame = inspect.currentframe()
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        package, _, _ = module.rpartition(".")
        if (
            package in {PACKAGE, *(f"{ADAPTERS}.{name}" for name in SHARED)}
            and module != RUNS_QUERIES
        ):
            return module.removeprefix(f"{ADAPTERS}."), frame.f_code.co_name
        frame = frame.f_back
    return "", ""


@contextmanager
def watch_reads() -> Iterator[Watch]:
    """Every connection that a SQLite store reads by meanwhile: none that was opened before."""
    watch = Watch()
    with (
        mock.patch("docgraph.adapters.sqlite.reader_pool.connect", watch.connect),
        mock.patch("docgraph.adapters.sqlite.reader_pool.MOST_IDLE", 0),
        mock.patch.object(ReaderPool, "take", lambda self, home: Reader(self._path, home)),
    ):
        yield watch


@contextmanager
def compiler(path: Path) -> Iterator["Compiler"]:
    """On an empty store, as a reader's connection has it."""
    store = SqliteStore(path, now=lambda: "now")
    with watch_reads() as watch, store.open_session(local()):
        assert watch.connection is not None
        yield Compiler(watch.connection, watch)


@dataclass(frozen=True, slots=True)
class Compiler:
    """Compiles statements and runs none."""

    connection: sqlite3.Connection
    watch: Watch
    numbers: Iterator[int] = field(default_factory=count)

    def raw_tables(self, sql: str) -> frozenset[str]:
        """Those that the statement itself names, in whatever clause; not those behind a view."""
        self.watch.raw.clear()
        anew = f"/* {next(self.numbers)} */ EXPLAIN {sql}"  # what was compiled before is not again
        self.connection.execute(anew, _anything(sql)).close()
        return frozenset(read.table for read in self.watch.raw)

    def tables(self) -> frozenset[str]:
        found = "SELECT name FROM main.sqlite_master WHERE type = 'table' AND sql NOT NULL"
        own = (name for (name,) in self.connection.execute(found))
        return frozenset(name for name in own if not name.startswith("sqlite_"))

    def views(self) -> frozenset[str]:
        found = "SELECT name FROM {} WHERE type = 'view'"
        both = (found.format(f"{schema}_master") for schema in ("main.sqlite", "sqlite_temp"))
        return frozenset(name for sql in both for (name,) in self.connection.execute(sql))


def _anything(sql: str) -> Any:
    """Something for every parameter."""
    named = re.findall(r":(\w+)", sql)
    return dict.fromkeys(named) if named else (None,) * sql.count("?")
