"""The SQLite side of `adapters.sql`: a set of values travels as JSON, a vector as bytes."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

import numpy as np

from docgraph.adapters.indexes.segments import pack
from docgraph.adapters.sql.database import (
    Dialect,
    Row,
    load_queries,
    require_types,
    row_types,
    translate_to_sqlite,
)
from docgraph.adapters.sqlite.connection import PACKAGE, damage_raised
from docgraph.model.vector import IntVector

SQLITE = Dialect(PACKAGE, translate_to_sqlite)


class SqliteQueries:
    def __init__(self, connection: sqlite3.Connection, file: str) -> None:
        self._connection: sqlite3.Connection | None = connection
        self._sql = load_queries(SQLITE, file)
        self._types = row_types(SQLITE, file)

    def end(self) -> None:
        """Later calls fail: the connection soon has another user."""
        self._connection = None

    def _execute(self, query: str, values: Mapping[str, object]) -> sqlite3.Cursor:
        plain = {
            name: json.dumps(value) if isinstance(value, list | tuple) else value
            for name, value in values.items()
        }
        return self._open.execute(self._sql[query], plain)

    @property
    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            raise sqlite3.ProgrammingError("this reader's time is over")
        return self._connection

    def rows(self, query: str, /, **values: object) -> list[Row]:
        with damage_raised:
            found = self._execute(query, values).fetchall()
        if (types := self._types.get(query)) is not None:
            require_types(found, types)
        return found

    def row(self, query: str, /, **values: object) -> Row | None:
        found = self.rows(query, **values)
        return found[0] if found else None

    def run(self, query: str, /, **values: object) -> int:
        with damage_raised:
            return self._execute(query, values).rowcount

    def many(self, query: str, rows: Iterable[Mapping[str, object]], /) -> None:
        with damage_raised:
            self._open.executemany(self._sql[query], rows)


class SqliteDatabase:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def queries(self, file: str) -> SqliteQueries:
        return SqliteQueries(self._connection, file)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    @contextmanager
    def reading(self) -> Iterator[None]:
        self._connection.execute("BEGIN")
        try:
            yield
        finally:
            self._connection.execute("ROLLBACK")

    def durable(self, on: bool, /) -> None:
        self._connection.execute(f"PRAGMA synchronous = {'FULL' if on else 'NORMAL'}")

    def vector(self, vector: IntVector, /) -> bytes:
        return pack(vector, np.int16)
