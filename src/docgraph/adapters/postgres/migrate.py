"""Numbered migrations: each is applied once, whole, and never changed afterwards. The second lock
is put on after them, and again wherever it is not as it was made."""

import hashlib
import re
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, LiteralString

from psycopg import Error, errors, sql

from docgraph.adapters.postgres.address import redacted, without_secrets
from docgraph.adapters.postgres.connection import SCHEMA, Connection, connect, quoted, set_up
from docgraph.adapters.postgres.errors import READER, translate_errors
from docgraph.adapters.postgres.ownership import (
    foreign_creators,
    foreign_owner,
    grant_reader,
    owner,
)
from docgraph.adapters.postgres.row_security import differences, found, put_on, strays
from docgraph.model.errors import StoreError, WrongSchema

LOCK = (0x646F6367, 0)  # "docg"; of two who migrate, the second waits
COMMAND = "run `docgraph migrate`"
NOT_AS_MADE = "row-level security is not as docgraph made it"
OLDEST_SERVER = 16
OLDEST_VECTOR = (0, 8)
_FILE = re.compile(r"(\d{4})_\w+\.sql")
# Something in the database stands in the way; what the server itself lacks is told elsewhere.
_REFUSED = (
    errors.ProgrammingError,
    errors.IntegrityError,
    errors.DataError,
    errors.NotSupportedError,
)
_VECTOR_VERSION = """
    SELECT coalesce(installed_version, default_version) FROM pg_available_extensions
    WHERE name = 'vector'
"""
_BECOMES = "SELECT pg_has_role(current_user, oid, 'SET') FROM pg_roles WHERE rolname = %s"
_VERSIONS = """
    CREATE TABLE IF NOT EXISTS docgraph.schema_versions (
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


ROW_SECURITY = Migration(0, "row_security", "", "")  # has no number: it is done whenever needed


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
    with translate_errors(dsn), closing(connect(dsn)) as connection:
        connection.execute("SELECT pg_advisory_lock(%s, %s)", LOCK)
        _prepare(connection, dsn)
        waiting = [one for one in pending(connection, dsn) if to is None or one.number <= to]
        for migration in waiting:
            _apply(connection, migration, dsn)
        if not pending(connection, dsn) and _lock_again(connection, dsn) and not waiting:
            return (ROW_SECURITY,)
        return tuple(waiting)


def look(dsn: str) -> tuple[Migration, ...]:
    """What is pending; nothing is changed."""
    with translate_errors(dsn), closing(connect(dsn)) as connection:
        if waiting := pending(connection, dsn):
            return waiting
        return (ROW_SECURITY,) if differences(found(connection)) else ()


def pending(connection: Connection, dsn: str) -> tuple[Migration, ...]:
    """What is still to be applied; refuses a database that went another way, or further."""
    applied = _applied(connection)
    known = migrations()
    if applied and applied[-1][0] > len(known):
        raise WrongSchema(
            f"{redacted(dsn)}: has schema {applied[-1][0]}; this docgraph knows schemas up to "
            f"{len(known)}. A newer docgraph migrated it: install that one here too."
        )
    for (number, name, digest), mine in zip(applied, known, strict=False):
        if (number, digest) != (mine.number, mine.digest):
            raise WrongSchema(
                f"{redacted(dsn)}: {name} was applied there with other contents than this docgraph "
                "has; use the docgraph that migrated it"
            )
    return known[len(applied) :]


def require_current(connection: Connection, dsn: str) -> None:
    waiting = pending(connection, dsn)
    if len(waiting) == len(migrations()):
        raise WrongSchema(f"{redacted(dsn)}: has no docgraph tables yet; {COMMAND}")
    if waiting:
        raise WrongSchema(
            f"{redacted(dsn)}: has schema {waiting[0].number - 1}; this docgraph needs schema "
            f"{len(migrations())}; {COMMAND}"
        )
    if told := differences(found(connection)):
        raise WrongSchema(f"{redacted(dsn)}: {NOT_AS_MADE}: {told}; {COMMAND}")


def _applied(connection: Connection) -> list[tuple[Any, ...]]:
    """Number, name and digest, oldest first; none where nobody ever migrated."""
    if not _exists(connection, "SELECT to_regclass(%s)", f"{SCHEMA}.schema_versions"):
        return []
    return connection.execute(
        "SELECT number, name, digest FROM docgraph.schema_versions ORDER BY number"
    ).fetchall()


def _prepare(connection: Connection, dsn: str) -> None:
    """Schema, extension, role and the table of versions; only what is missing needs a right.
    Nothing is made where something stands in the way."""
    _check_server(connection, dsn)
    if complaint := foreign_owner(connection):
        raise _asks(dsn, *complaint)
    if not _exists(connection, "SELECT 1 FROM pg_namespace WHERE nspname = %s", SCHEMA):
        try:
            connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(SCHEMA)))
        except errors.InsufficientPrivilege as error:
            command = f"CREATE SCHEMA {SCHEMA} AUTHORIZATION {quoted(connection.info.user)};"
            raise _needs(dsn, "make its schema", command) from error
    if not _exists(connection, "SELECT 1 FROM pg_extension WHERE extname = %s", "vector"):
        _add_vector(connection, dsn)
    if complaints := foreign_creators(connection):
        raise _asks(dsn, *complaints[0])
    _make_reader(connection, dsn)
    connection.execute(_VERSIONS)


def _check_server(connection: Connection, dsn: str) -> None:
    if trouble := server_trouble(connection):
        raise StoreError(f"{redacted(dsn)}: {trouble}")
    row = connection.execute(_VECTOR_VERSION).fetchone()
    if row is not None and (trouble := vector_trouble(row[0])):
        raise StoreError(f"{redacted(dsn)}: pgvector {trouble}")


def server_trouble(connection: Connection) -> str | None:
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        return (
            f"this database holds {encoding}; docgraph needs one made with "
            "CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0"
        )
    major = connection.info.server_version // 10_000
    if major < OLDEST_SERVER:
        return f"this is Postgres {major}; docgraph needs {OLDEST_SERVER} or newer"
    return None


def vector_trouble(version: str) -> str | None:
    if tuple(int(part) for part in version.split(".") if part.isdigit()) >= OLDEST_VECTOR:
        return None
    needed = ".".join(map(str, OLDEST_VECTOR))
    mend = f"install {needed} or newer, then run: ALTER EXTENSION vector UPDATE;"
    return f"{version} is too old; {mend}"


def _add_vector(connection: Connection, dsn: str) -> None:
    """In `public`, where others look for it too."""
    if not _exists(connection, "SELECT 1 FROM pg_available_extensions WHERE name = %s", "vector"):
        raise StoreError(
            f"{redacted(dsn)}: pgvector is not installed on this server; a database administrator "
            "installs it there (for example the package postgresql-18-pgvector), then try again"
        )
    try:
        connection.execute("CREATE EXTENSION vector SCHEMA public")
    except errors.InsufficientPrivilege as error:
        raise _needs(dsn, "add pgvector", "CREATE EXTENSION vector;") from error
    set_up(connection)


def _make_reader(connection: Connection, dsn: str) -> None:
    there = _exists(connection, "SELECT 1 FROM pg_roles WHERE rolname = %s", READER)
    make, grant = f"CREATE ROLE {READER} NOLOGIN;", grant_reader(connection)
    try:
        if not there:
            connection.execute(make.encode())
        if connection.execute(_BECOMES, [READER]).fetchone() == (False,):
            connection.execute(grant.encode())
    except errors.InsufficientPrivilege as error:
        command = grant if there else f"{make} {grant}"
        raise _needs(dsn, f"become {READER}", command) from error


def _apply(connection: Connection, migration: Migration, dsn: str) -> None:
    try:
        with connection.transaction():
            connection.execute(migration.text.encode())
            connection.execute(
                "INSERT INTO docgraph.schema_versions (number, name, digest) VALUES (%s, %s, %s)",
                (migration.number, migration.name, migration.digest),
            )
    except _REFUSED as error:
        raise _refused(connection, dsn, migration.name, error) from error


def _lock_again(connection: Connection, dsn: str) -> bool:
    """Only where it is needed: this waits for everybody who reads or writes."""
    if not differences(found(connection)):
        return False
    try:
        with connection.transaction():
            put_on(connection)
    except _REFUSED as error:
        raise _refused(connection, dsn, ROW_SECURITY.name, error) from error
    if told := differences(found(connection)):
        raise StoreError(f"{redacted(dsn)}: {NOT_AS_MADE}, and could not be made so: {told}")
    return True


def _refused(connection: Connection, dsn: str, name: str, error: Error) -> StoreError:
    """Where that comes of a table that is somebody else's, with the command that gives it back."""
    said = without_secrets(str(error), dsn)
    names = strays(found(connection))
    if not isinstance(error, errors.InsufficientPrivilege) or not names:
        what = "could not be applied, and nothing of it was"
        return StoreError(f"{redacted(dsn)}: {name} {what}: {said}")
    whose = quoted(owner(connection) or connection.info.user)
    return _needs(dsn, f"apply {name} ({said})", " ".join(_given(one, whose) for one in names))


def _given(name: str, whose: str) -> str:
    kind = "ROUTINE" if name.endswith("()") else "TABLE"
    return f"ALTER {kind} {SCHEMA}.{name} OWNER TO {whose};"


def _exists(connection: Connection, query: LiteralString, name: str) -> bool:
    return connection.execute(query, (name,)).fetchone() not in (None, (None,))


def _needs(dsn: str, what: str, command: str) -> StoreError:
    return _asks(dsn, f"this login may not {what}", command)


def _asks(dsn: str, what: str, command: str) -> StoreError:
    return StoreError(
        f"{redacted(dsn)}: {what}. Let a database administrator run, in this database: {command}"
    )
