"""What SQLite says of a file, and whether its schema is as docgraph makes it."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing

from docgraph.adapters.sql.audit_rows import differences
from docgraph.adapters.sqlite.connection import damage_raised
from docgraph.adapters.sqlite.database import SqliteQueries

Create = Callable[[sqlite3.Connection], None]

_LAST = """
    SELECT coalesce((SELECT max(rowid) FROM {0}), 0),
           coalesce((SELECT max(seq) FROM sqlite_sequence WHERE name = '{0}'), 0)
"""
_MOST = 10  # problems of one file


def file_problems(connection: sqlite3.Connection, create: Create) -> Iterator[tuple[str, str]]:
    """The kind of what is wrong, and a message; `create` makes the schema in an empty file."""
    with damage_raised:
        results = [text for (text,) in connection.execute(f"PRAGMA integrity_check({_MOST})")]
    for result in results:
        if result != "ok":
            yield "file", f"the file is damaged: {result}"
    with closing(sqlite3.connect(":memory:")) as untouched:
        create(untouched)
        expected = _schema(untouched)
    yield from differences(expected, _schema(connection))
    for (kind, name), sql in expected.items():
        if kind == "table" and "AUTOINCREMENT" in sql:
            with damage_raised:
                last, given = connection.execute(_LAST.format(name)).fetchone()
            if given < last:
                yield "file", f"the last number of {name} is not one that was given"


def _schema(connection: sqlite3.Connection) -> dict[tuple[str, str], str]:
    rows = SqliteQueries(connection, "audit.sql").rows("schema")
    return {(kind, name): sql for kind, name, sql in rows}
