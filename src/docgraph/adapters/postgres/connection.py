"""Opening a connection: every one is set up in the same way."""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg

from docgraph.adapters.postgres.address import FORM, parsed, redacted
from docgraph.adapters.postgres.errors import connecting
from docgraph.adapters.postgres.vectors import register_vectors
from docgraph.model.errors import StoreError

SCHEMA = "docgraph"
Connection = psycopg.Connection[tuple[Any, ...]]

# Where the address says nothing else: give up on a server that does not answer, and notice one
# that has gone away without a word.
_DEFAULTS: dict[str, Any] = {
    "connect_timeout": 10,
    "keepalives_idle": 60,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "fallback_application_name": "docgraph",
    "client_encoding": "utf8",
}
_VECTOR = """
    SELECT n.nspname, t.oid, t.typarray
    FROM pg_extension AS e
         JOIN pg_namespace AS n ON n.oid = e.extnamespace
         JOIN pg_type AS t ON t.typnamespace = n.oid AND t.typname = 'vector'
    WHERE e.extname = 'vector'
"""
_PLAIN = re.compile(r"[a-z_][a-z0-9_]*")
# Whatever the login prefers: who waited for another sees what that one did, and what was said to
# be done is not lost in a crash.
_SESSION = """
    SELECT set_config('search_path', %s, false),
           set_config('default_transaction_isolation', 'read committed', false),
           set_config('synchronous_commit',
                      replace(current_setting('synchronous_commit'), 'off', 'on'), false)
"""

# What goes wrong is raised where it matters; an application that logs still gets these.
logging.getLogger("psycopg").addHandler(logging.NullHandler())


def options(dsn: str) -> dict[str, Any]:
    """What `dsn` leaves open; refuses one that cannot be read, without showing it."""
    said = parsed(dsn)
    if said is None:
        raise StoreError(f"{redacted(dsn)}: this cannot be read; {FORM}")
    return {key: value for key, value in _DEFAULTS.items() if key not in said}


def connect(dsn: str) -> Connection:
    """One connection, to be closed. Every statement is a transaction of its own, unless
    `connection.transaction()` says otherwise."""
    with connecting():
        connection = psycopg.connect(dsn, autocommit=True, **options(dsn))
    set_up(connection)
    return connection


def set_up(connection: Connection) -> None:
    """Names are looked up in docgraph's schema and in that of the extension, which may not be
    there yet. Temporary tables come last: none can stand in for a real one."""
    # pg_catalog is searched first; yet what fits the types exactly comes before what fits any type,
    # wherever it lies. `bigint = ANY (bigint[])` cannot be taken over: it asks for bigint = bigint,
    # which pg_catalog has. `bigint[] && bigint[]` could be, so it is OPERATOR(pg_catalog.&&);
    # `unnest(bigint[])` could be, too. Therefore nobody else may make anything in these schemas:
    # `migrate` refuses to begin there, and `doctor` tells (ownership.py).
    try:
        path = [SCHEMA, "pg_temp"]
        if (found := connection.execute(_VECTOR).fetchone()) is not None:
            schema, oid, array_oid = found
            register_vectors(connection, oid, array_oid)
            path.insert(1, schema)
        connection.execute(_SESSION, [", ".join(map(_in_path, path))])
    except psycopg.Error:
        connection.close()
        raise


@contextmanager
def isolated(connection: Connection) -> Iterator[None]:
    """A transaction that finds nothing of anybody else's, and also not the extension."""
    with connection.transaction():
        connection.execute("SET LOCAL search_path = docgraph, pg_temp")
        yield


def quoted(name: str) -> str:
    """As it stands in a command."""
    return '"' + name.replace('"', '""') + '"'


def _in_path(name: str) -> str:
    return name if _PLAIN.fullmatch(name) else quoted(name)
