"""The Postgres side of `adapters.sql`: a set of values travels as an array, many rows as a COPY."""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from typing import LiteralString

from psycopg import IsolationLevel
from psycopg.sql import SQL, Identifier

from docgraph.adapters.postgres.connection import Connection
from docgraph.adapters.postgres.vectors import PgVector
from docgraph.adapters.sql.database import (
    Dialect,
    Row,
    load_queries,
    single_row,
    translate_to_postgres,
)
from docgraph.model.validation import is_storable
from docgraph.model.vector import IntVector

PACKAGE = "docgraph.adapters.postgres"
POSTGRES = Dialect(PACKAGE, translate_to_postgres)
_COPY = re.compile(r"COPY\s+(\w+)\s*\(([^)]*)\)\s+FROM\s+STDIN", re.IGNORECASE)
_AT_ONCE = 20_000  # rows of one statement


class PostgresQueries:
    """The queries of a file of docgraph: nothing that anybody typed is ever part of one."""

    def __init__(self, connection: Connection, file: str) -> None:
        self._connection = connection
        self._sql = load_queries(POSTGRES, file)

    def rows(self, query: str, /, **values: object) -> list[Row]:
        with self._connection.cursor(binary=True) as cursor:
            return cursor.execute(self._sql[query], _plain(values)).fetchall()

    def row(self, query: str, /, **values: object) -> Row | None:
        with self._connection.cursor(binary=True) as cursor:
            return cursor.execute(self._sql[query], _plain(values)).fetchone()

    def run(self, query: str, /, **values: object) -> int:
        with self._connection.cursor() as cursor:
            return cursor.execute(self._sql[query], _plain(values)).rowcount

    def many(self, query: str, rows: Iterable[Mapping[str, object]], /) -> None:
        """As a COPY, or else as arrays that the query unnests."""
        text = self._sql[query]
        if copied := _COPY.match(text):
            table, columns = copied[1], re.split(r",\s*", copied[2].strip())
            self._copy(text, table, columns, rows)
        else:
            self._unnest(text, rows)

    def _copy(
        self,
        text: LiteralString,
        table: str,
        columns: list[str],
        rows: Iterable[Mapping[str, object]],
    ) -> None:
        rows = iter(rows)
        first = next(rows, None)
        if first is None:
            return
        names = SQL(", ").join(map(Identifier, columns))
        with self._connection.cursor() as cursor:
            description = cursor.execute(
                SQL("SELECT {} FROM {} LIMIT 0").format(names, Identifier(table))
            ).description
            assert description is not None
            with cursor.copy(text) as copy:
                copy.set_types([column.type_code for column in description])
                for row in chain((first,), rows):
                    copy.write_row([row[column] for column in columns])

    def _unnest(self, text: LiteralString, rows: Iterable[Mapping[str, object]]) -> None:
        pending: list[Mapping[str, object]] = []
        for row in rows:
            pending.append(row)
            if len(pending) >= _AT_ONCE:
                self._together(text, pending)
                pending = []
        if pending:
            self._together(text, pending)

    def _together(self, text: LiteralString, rows: list[Mapping[str, object]]) -> None:
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        with self._connection.cursor() as cursor:
            cursor.execute(text, columns)


def _plain(values: Mapping[str, object]) -> dict[str, object]:
    """In a set, what Postgres does not take as text is left out: it is the name of nothing."""
    return {
        name: [v for v in value if not isinstance(v, str) or is_storable(v)]
        if isinstance(value, list | tuple)
        else value
        for name, value in values.items()
    }


class PostgresDatabase:
    """Statements outside `transaction` and `reading` are committed one by one."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._commits: str | None = None

    def queries(self, file: str) -> PostgresQueries:
        return PostgresQueries(self.connection, file)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self.connection.transaction():
            yield

    @contextmanager
    def reading(self) -> Iterator[None]:
        """What is read is of one moment; nothing is written, whatever is tried."""
        connection = self.connection
        connection.isolation_level, connection.read_only = IsolationLevel.REPEATABLE_READ, True
        try:
            with connection.transaction():
                yield
        finally:
            if not connection.closed:
                connection.isolation_level, connection.read_only = None, None

    def durable(self, on: bool, /) -> None:
        """For the session. On is as it was before: a login may ask for more than the disk."""
        if not on and self._commits is None:
            row = self.connection.execute("SELECT current_setting('synchronous_commit')").fetchone()
            self._commits = str(single_row(row)[0])
        setting = self._commits if on else "off"
        if setting is not None:
            self.connection.execute("SELECT set_config('synchronous_commit', %s, false)", [setting])

    def vector(self, vector: IntVector, /) -> PgVector:
        return PgVector(vector)
