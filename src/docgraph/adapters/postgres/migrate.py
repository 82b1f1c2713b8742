"""Numbered migrations: each is applied once, in one transaction, and never changed afterwards.
Row-level security is set up after them, and again wherever it differs from what docgraph makes."""

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
from docgraph.adapters.postgres.row_security import (
    differences,
    foreign_objects,
    read_catalog,
    set_up_row_security,
)
from docgraph.model.errors import StoreError, WrongSchema

LOCK = (0x646F6367, 0)  # "docg"; of two migrations at once, the second waits
COMMAND = "run `docgraph migrate`"
NOT_AS_MADE = "row-level security is not as docgraph made it"
OLDEST_SERVER = 16
OLDEST_VECTOR = (0, 8)
_FILE = re.compile(r"(\d{4})_\w+\.sql")
# Errors that come from objects in the database; those of the server are translated elsewhere.
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
_MAY_SET_ROLE = "SELECT pg_has_role(current_user, oid, 'SET') FROM pg_roles WHERE rolname = %s"
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


ROW_SECURITY = Migration(0, "row_security", "", "")  # has no number: set up whenever needed


@cache
def migrations() -> tuple[Migration, ...]:
    """In the order of their numbers, which begin with 1 and have no gaps."""
    read = []
    for file in (resources.files("docgraph.adapters.postgres") / "migrations").iterdir():
        if match := _FILE.fullmatch(file.name):
            text = file.read_text(encoding="utf-8")
            digest = hashlib.sha256(text.encode()).hexdigest()
            read.append(Migration(int(match[1]), file.name.removesuffix(".sql"), text, digest))
    read.sort(key=lambda migration: migration.number)
    assert [one.number for one in read] == list(range(1, len(read) + 1)), "a number is missing"
    return tuple(read)


def migrate(dsn: str, *, to: int | None = None) -> tuple[Migration, ...]:
    """Applies the pending migrations, up to number `to` where it is given; those applied."""
    with translate_errors(dsn), closing(connect(dsn)) as connection:
        connection.execute("SELECT pg_advisory_lock(%s, %s)", LOCK)
        _prepare(connection, dsn)
        due = [one for one in pending(connection, dsn) if to is None or one.number <= to]
        for migration in due:
            _apply(connection, migration, dsn)
        if not pending(connection, dsn) and _repair_row_security(connection, dsn) and not due:
            return (ROW_SECURITY,)
        return tuple(due)


def pending_migrations(dsn: str) -> tuple[Migration, ...]:
    """Changes nothing."""
    with translate_errors(dsn), closing(connect(dsn)) as connection:
        if due := pending(connection, dsn):
            return due
        return (ROW_SECURITY,) if differences(read_catalog(connection)) else ()


def pending(connection: Connection, dsn: str) -> tuple[Migration, ...]:
    """Migrations still to be applied; refuses a database with other or newer ones."""
    applied = _applied(connection)
    known = migrations()
    for (number, name, digest), own in zip(applied, known, strict=False):
        if (number, digest) != (own.number, own.digest):
            raise WrongSchema(
                f"{redacted(dsn)}: {name} was applied there with other contents than this docgraph "
                "has. Ingest the sources anew into a new database, or use the docgraph that "
                "migrated it."
            )
    if len(applied) > len(known):
        raise WrongSchema(
            f"{redacted(dsn)}: has schema {applied[-1][0]}; this docgraph knows schemas up to "
            f"{len(known)}. A newer docgraph migrated it: install that one here too."
        )
    return known[len(applied) :]


def require_current(connection: Connection, dsn: str) -> None:
    due = pending(connection, dsn)
    if len(due) == len(migrations()):
        raise WrongSchema(f"{redacted(dsn)}: has no docgraph tables yet; {COMMAND}")
    if due:
        raise WrongSchema(
            f"{redacted(dsn)}: has schema {due[0].number - 1}; this docgraph needs schema "
            f"{len(migrations())}; {COMMAND}"
        )
    if changes := differences(read_catalog(connection)):
        raise WrongSchema(f"{redacted(dsn)}: {NOT_AS_MADE}: {changes}; {COMMAND}")


def _applied(connection: Connection) -> list[tuple[Any, ...]]:
    """Number, name and digest, oldest first; none in a database without docgraph's schema."""
    if not _exists(connection, "SELECT to_regclass(%s)", f"{SCHEMA}.schema_versions"):
        return []
    return connection.execute(
        "SELECT number, name, digest FROM docgraph.schema_versions ORDER BY number"
    ).fetchall()


def _prepare(connection: Connection, dsn: str) -> None:
    """Creates what is missing of schema, extension, role and the table of versions.

    Nothing is created where another role owns or may change what docgraph relies on."""
    _check_server(connection, dsn)
    if problem := foreign_owner(connection):
        raise _administrator_needed(dsn, *problem)
    if not _exists(connection, "SELECT 1 FROM pg_namespace WHERE nspname = %s", SCHEMA):
        try:
            connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(SCHEMA)))
        except errors.InsufficientPrivilege as error:
            command = f"CREATE SCHEMA {SCHEMA} AUTHORIZATION {quoted(connection.info.user)};"
            raise _privilege_needed(dsn, "make its schema", command) from error
    if not _exists(connection, "SELECT 1 FROM pg_extension WHERE extname = %s", "vector"):
        _add_vector(connection, dsn)
    if problems := foreign_creators(connection):
        raise _administrator_needed(dsn, *problems[0])
    _create_reader(connection, dsn)
    connection.execute(_VERSIONS)


def _check_server(connection: Connection, dsn: str) -> None:
    if problem := server_problem(connection):
        raise StoreError(f"{redacted(dsn)}: {problem}")
    row = connection.execute(_VECTOR_VERSION).fetchone()
    if row is not None and (problem := vector_problem(row[0])):
        raise StoreError(f"{redacted(dsn)}: pgvector {problem}")


def server_problem(connection: Connection) -> str | None:
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


def vector_problem(version: str) -> str | None:
    if tuple(int(part) for part in version.split(".") if part.isdigit()) >= OLDEST_VECTOR:
        return None
    needed = ".".join(map(str, OLDEST_VECTOR))
    mend = f"install {needed} or newer, then run: ALTER EXTENSION vector UPDATE;"
    return f"{version} is too old; {mend}"


def _add_vector(connection: Connection, dsn: str) -> None:
    """In `public`, where other applications of the database find it too."""
    if not _exists(connection, "SELECT 1 FROM pg_available_extensions WHERE name = %s", "vector"):
        raise StoreError(
            f"{redacted(dsn)}: pgvector is not installed on this server; a database administrator "
            "installs it there (for example the package postgresql-18-pgvector), then try again"
        )
    try:
        connection.execute("CREATE EXTENSION vector SCHEMA public")
    except errors.InsufficientPrivilege as error:
        raise _privilege_needed(dsn, "add pgvector", "CREATE EXTENSION vector;") from error
    set_up(connection)


def _create_reader(connection: Connection, dsn: str) -> None:
    exists = _exists(connection, "SELECT 1 FROM pg_roles WHERE rolname = %s", READER)
    create, grant = f"CREATE ROLE {READER} NOLOGIN;", grant_reader(connection)
    try:
        if not exists:
            connection.execute(create.encode())
        if connection.execute(_MAY_SET_ROLE, [READER]).fetchone() == (False,):
            connection.execute(grant.encode())
    except errors.InsufficientPrivilege as error:
        command = grant if exists else f"{create} {grant}"
        raise _privilege_needed(dsn, f"become {READER}", command) from error


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


def _repair_row_security(connection: Connection, dsn: str) -> bool:
    """Only where it is needed: this waits for all readers and writers."""
    if not differences(read_catalog(connection)):
        return False
    try:
        with connection.transaction():
            set_up_row_security(connection)
    except _REFUSED as error:
        raise _refused(connection, dsn, ROW_SECURITY.name, error) from error
    if changes := differences(read_catalog(connection)):
        raise StoreError(f"{redacted(dsn)}: {NOT_AS_MADE}, and could not be made so: {changes}")
    return True


def _refused(connection: Connection, dsn: str, name: str, error: Error) -> StoreError:
    """Where another role owns one of the tables, with the command that returns it."""
    message = without_secrets(str(error), dsn)
    names = foreign_objects(read_catalog(connection))
    if not isinstance(error, errors.InsufficientPrivilege) or not names:
        what = "could not be applied, and nothing of it was"
        return StoreError(f"{redacted(dsn)}: {name} {what}: {message}")
    new_owner = quoted(owner(connection) or connection.info.user)
    commands = " ".join(_change_owner(one, new_owner) for one in names)
    return _privilege_needed(dsn, f"apply {name} ({message})", commands)


def _change_owner(name: str, new_owner: str) -> str:
    kind = "ROUTINE" if name.endswith("()") else "TABLE"
    return f"ALTER {kind} {SCHEMA}.{name} OWNER TO {new_owner};"


def _exists(connection: Connection, query: LiteralString, name: str) -> bool:
    return connection.execute(query, (name,)).fetchone() not in (None, (None,))


def _privilege_needed(dsn: str, what: str, command: str) -> StoreError:
    return _administrator_needed(dsn, f"this login may not {what}", command)


def _administrator_needed(dsn: str, what: str, command: str) -> StoreError:
    return StoreError(
        f"{redacted(dsn)}: {what}. Let a database administrator run, in this database: {command}"
    )
