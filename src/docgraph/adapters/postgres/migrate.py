"""Numbered migrations: each is applied once, whole, and never changed afterwards."""

import hashlib
import re
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, LiteralString

from psycopg import errors, sql

from docgraph.adapters.postgres.address import shown, without_secrets
from docgraph.adapters.postgres.connection import SCHEMA, Connection, connect, set_up
from docgraph.adapters.postgres.plain_errors import READER, plain_errors
from docgraph.model.errors import StoreError, WrongSchema

LOCK = (0x646F6367, 0)  # "docg"; of two who migrate, the second waits
COMMAND = "run `docgraph migrate`"
_FILE = re.compile(r"(\d{4})_\w+\.sql")
# Something in the database stands in the way; what the server itself lacks is told elsewhere.
_REFUSED = (
    errors.ProgrammingError,
    errors.IntegrityError,
    errors.DataError,
    errors.NotSupportedError,
)
_VERSIONS = """
    CREATE TABLE IF NOT EXISTS schema_versions (
        number  integer PRIMARY KEY,
        name    text NOT NULL,
        digest  text NOT NULL,
        applied timestamptz NOT NULL DEFAULT now()
    )
"""


@dataclass(frozen=True, slots=True)
class Migration:
    number: int
    name: str
    text: str
    digest: str


@cache
def migrations() -> tuple[Migration, ...]:
    """In the order of their numbers, which begin with 1 and leave none out."""
    found = []
    for file in (resources.files("docgraph.adapters.postgres") / "migrations").iterdir():
        if match := _FILE.fullmatch(file.name):
            text = file.read_text(encoding="utf-8")
            digest = hashlib.sha256(text.encode()).hexdigest()
            found.append(Migration(int(match[1]), file.name.removesuffix(".sql"), text, digest))
    found.sort(key=lambda migration: migration.number)
    assert [one.number for one in found] == list(range(1, len(found) + 1)), "a number is missing"
    return tuple(found)


def migrate(dsn: str, *, to: int | None = None) -> tuple[Migration, ...]:
    """Applies what is pending, up to `to` where it is given, and says what that was."""
    with plain_errors(dsn), closing(connect(dsn)) as connection:
        connection.execute("SELECT pg_advisory_lock(%s, %s)", LOCK)
        _prepare(connection, dsn)
        waiting = [one for one in pending(connection, dsn) if to is None or one.number <= to]
        for migration in waiting:
            _apply(connection, migration, dsn)
        return tuple(waiting)


def look(dsn: str) -> tuple[Migration, ...]:
    """What is pending; nothing is changed."""
    with plain_errors(dsn), closing(connect(dsn)) as connection:
        return pending(connection, dsn)


def pending(connection: Connection, dsn: str) -> tuple[Migration, ...]:
    """What is still to be applied; refuses a database that went another way, or further."""
    applied = _applied(connection)
    known = migrations()
    if applied and applied[-1][0] > len(known):
        raise WrongSchema(
            f"{shown(dsn)}: has schema {applied[-1][0]}; this docgraph knows schemas up to "
            f"{len(known)}. A newer docgraph migrated it: install that one here too."
        )
    for (number, name, digest), mine in zip(applied, known, strict=False):
        if (number, digest) != (mine.number, mine.digest):
            raise WrongSchema(
                f"{shown(dsn)}: {name} was applied there with other contents than this docgraph "
                "has; use the docgraph that migrated it"
            )
    return known[len(applied) :]


def require_current(connection: Connection, dsn: str) -> None:
    waiting = pending(connection, dsn)
    if len(waiting) == len(migrations()):
        raise WrongSchema(f"{shown(dsn)}: has no docgraph tables yet; {COMMAND}")
    if waiting:
        raise WrongSchema(
            f"{shown(dsn)}: has schema {waiting[0].number - 1}; this docgraph needs schema "
            f"{len(migrations())}; {COMMAND}"
        )


def _applied(connection: Connection) -> list[tuple[Any, ...]]:
    """Number, name and digest, oldest first; none where nobody ever migrated."""
    if not _exists(connection, "SELECT to_regclass(%s)", f"{SCHEMA}.schema_versions"):
        return []
    return connection.execute(
        "SELECT number, name, digest FROM docgraph.schema_versions ORDER BY number"
    ).fetchall()


def _prepare(connection: Connection, dsn: str) -> None:
    """Schema, extension and the table of versions; only what is missing needs a right."""
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise StoreError(
            f"{shown(dsn)}: this database holds {encoding}; docgraph needs one made with "
            "CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0"
        )
    if not _exists(connection, "SELECT 1 FROM pg_namespace WHERE nspname = %s", SCHEMA):
        try:
            connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(SCHEMA)))
        except errors.InsufficientPrivilege as error:
            command = f'CREATE SCHEMA {SCHEMA} AUTHORIZATION "{connection.info.user}"'
            raise _needs(dsn, "make its schema", command) from error
    if not _exists(connection, "SELECT 1 FROM pg_extension WHERE extname = %s", "vector"):
        _add_vector(connection, dsn)
    connection.execute(_VERSIONS)


def _add_vector(connection: Connection, dsn: str) -> None:
    """In `public`, where others look for it too."""
    if not _exists(connection, "SELECT 1 FROM pg_available_extensions WHERE name = %s", "vector"):
        raise StoreError(
            f"{shown(dsn)}: pgvector is not installed on this server; a database administrator "
            "installs it there (for example the package postgresql-18-pgvector), then try again"
        )
    try:
        connection.execute("CREATE EXTENSION vector SCHEMA public")
    except errors.InsufficientPrivilege as error:
        raise _needs(dsn, "add pgvector", "CREATE EXTENSION vector") from error
    set_up(connection)


def _apply(connection: Connection, migration: Migration, dsn: str) -> None:
    try:
        with connection.transaction():
            connection.execute(migration.text.encode())
            connection.execute(
                "INSERT INTO schema_versions (number, name, digest) VALUES (%s, %s, %s)",
                (migration.number, migration.name, migration.digest),
            )
    except errors.InsufficientPrivilege as error:
        what = f"apply {migration.name} ({without_secrets(str(error), dsn)})"
        raise _needs(dsn, what, _reader_command(connection)) from error
    except _REFUSED as error:
        raise StoreError(
            f"{shown(dsn)}: {migration.name} could not be applied, and nothing of it was: "
            f"{without_secrets(str(error), dsn)}"
        ) from error


def _reader_command(connection: Connection) -> str:
    grant = f'GRANT {READER} TO "{connection.info.user}"'
    if _exists(connection, "SELECT 1 FROM pg_roles WHERE rolname = %s", READER):
        return grant
    return f"CREATE ROLE {READER} NOLOGIN; {grant}"


def _exists(connection: Connection, query: LiteralString, name: str) -> bool:
    return connection.execute(query, (name,)).fetchone() not in (None, (None,))


def _needs(dsn: str, what: str, command: str) -> StoreError:
    return StoreError(
        f"{shown(dsn)}: this login may not {what}. Let a database administrator run, in this "
        f"database: {command};"
    )
