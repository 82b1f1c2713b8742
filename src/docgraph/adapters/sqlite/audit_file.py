"""The audit log's file, and what is not in it as it was made."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing

from docgraph.adapters.named_queries import named_queries
from docgraph.adapters.sql.audit_rows import differences
from docgraph.adapters.sqlite.connection import PACKAGE
from docgraph.adapters.sqlite.side_file import SideFile

AUDIT_LOG = SideFile(
    kind="audit log",
    application_id=0x646F6361,  # "doca"
    version=1,
    schema="audit_schema.sql",
)
_SQL = named_queries(PACKAGE, "audit.sql")


def meddled(connection: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """What is not as it was made: `table`, `trigger` or the like, and the same in words."""
    with closing(sqlite3.connect(":memory:")) as untouched:
        AUDIT_LOG.create(untouched)
        made = _schema(untouched)
    yield from differences(made, _schema(connection))


def _schema(connection: sqlite3.Connection) -> dict[tuple[str, str], str]:
    return {(kind, name): sql for kind, name, sql in connection.execute(_SQL["schema"])}
