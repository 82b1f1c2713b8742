"""Opening a connection: every one is set up in the same way."""

import logging
from typing import Any

import psycopg

from docgraph.adapters.postgres.address import FORM, parsed, shown
from docgraph.adapters.postgres.plain_errors import connecting
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
# Whatever the login prefers: who waited for another sees what that one did, and what was said to
# be done is not lost in a crash.
_SESSION = """
    SELECT set_config('search_path', string_agg(quote_ident(name), ', '), false),
           set_config('default_transaction_isolation', 'read committed', false),
           set_config('synchronous_commit',
                      replace(current_setting('synchronous_commit'), 'off', 'on'), false)
    FROM unnest(%s::text[]) AS name
"""

# What goes wrong is raised where it matters; an application that logs still gets these.
logging.getLogger("psycopg").addHandler(logging.NullHandler())


def options(dsn: str) -> dict[str, Any]:
    """What `dsn` leaves open; refuses one that cannot be read, without showing it."""
    said = parsed(dsn)
    if said is None:
        raise StoreError(f"{shown(dsn)}: this cannot be read; {FORM}")
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
    try:
        path = [SCHEMA, "pg_temp"]
        if (found := connection.execute(_VECTOR).fetchone()) is not None:
            schema, oid, array_oid = found
            register_vectors(connection, oid, array_oid)
            path.insert(1, schema)
        connection.execute(_SESSION, [path])
    except psycopg.Error:
        connection.close()
        raise
