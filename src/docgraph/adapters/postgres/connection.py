"""Opening connections, all with the same session settings."""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg

from docgraph.adapters.postgres.address import FORM, parse, redacted
from docgraph.adapters.postgres.errors import connecting
from docgraph.adapters.postgres.vectors import register_vectors
from docgraph.model.errors import StoreError

SCHEMA = "docgraph"
Connection = psycopg.Connection[tuple[Any, ...]]

# Unless the address sets them: time out on a server that does not answer, and notice one that
# disappeared.
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
# Overrides the login's defaults: a transaction that waited for another sees its changes, and a
# committed transaction survives a crash.
_SESSION = """
    SELECT set_config('search_path', %s, false),
           set_config('default_transaction_isolation', 'read committed', false),
           set_config('synchronous_commit',
                      replace(current_setting('synchronous_commit'), 'off', 'on'), false)
"""

# Errors are raised where they matter; an application with logging still gets psycopg's messages.
logging.getLogger("psycopg").addHandler(logging.NullHandler())


def options(dsn: str) -> dict[str, Any]:
    """Defaults for what `dsn` does not set; refuses a malformed one without showing it."""
    parts = parse(dsn)
    if parts is None:
        raise StoreError(f"{redacted(dsn)}: this cannot be read; {FORM}")
    return {key: value for key, value in _DEFAULTS.items() if key not in parts}


def connect(dsn: str) -> Connection:
    """One connection, which the caller closes. Every statement is a transaction of its own, unless
    it is inside `connection.transaction()`."""
    with connecting():
        connection = psycopg.connect(dsn, autocommit=True, **options(dsn))
    set_up(connection)
    return connection


def set_up(connection: Connection) -> None:
    """Names are looked up in docgraph's schema and in that of the extension, which may not be
    installed yet. Temporary tables come last: none can shadow a real one."""
    # pg_catalog is searched first; yet an exact match of types comes before a polymorphic one, in
    # whatever schema it is. `bigint = ANY (bigint[])` cannot be hijacked: it needs bigint = bigint,
    # which pg_catalog has. `bigint[] && bigint[]` could be, so it is OPERATOR(pg_catalog.&&);
    # `unnest(bigint[])` could be, too. Therefore no other role may create objects in these
    # schemas: `migrate` refuses to begin there, and `doctor` reports it (ownership.py).
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
    """A transaction that looks up names in docgraph's schema alone, without the extension's."""
    with connection.transaction():
        connection.execute("SET LOCAL search_path = docgraph, pg_temp")
        yield


def quoted(name: str) -> str:
    """As an identifier in a command."""
    return '"' + name.replace('"', '""') + '"'


def _in_path(name: str) -> str:
    return name if _PLAIN.fullmatch(name) else quoted(name)
