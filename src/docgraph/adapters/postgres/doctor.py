"""Checks that a Postgres server has what a store needs, each with the command that repairs it."""

from collections.abc import Iterator
from contextlib import closing

from docgraph.adapters.postgres.address import redacted
from docgraph.adapters.postgres.connection import Connection, connect
from docgraph.adapters.postgres.errors import READER, translate_errors
from docgraph.adapters.postgres.migrate import (
    COMMAND,
    NOT_AS_MADE,
    OLDEST_SERVER,
    OLDEST_VECTOR,
    migrations,
    pending,
    server_problem,
    vector_problem,
)
from docgraph.adapters.postgres.ownership import (
    foreign_creators,
    foreign_owner,
    foreign_readers,
    grant_reader,
    owner,
)
from docgraph.adapters.postgres.row_security import differences, read_catalog
from docgraph.model.errors import StoreError
from docgraph.ports.store import Finding

ADMINISTRATOR = "let a database administrator run, in this database:"
_VECTOR = """
    SELECT e.extversion, n.nspname, r.oid IS NULL OR has_schema_privilege(r.oid, n.oid, 'USAGE')
    FROM pg_extension AS e
         JOIN pg_namespace AS n ON n.oid = e.extnamespace
         LEFT JOIN pg_roles AS r ON r.rolname = %s
    WHERE e.extname = 'vector'
"""
_READER = """
    SELECT r.rolsuper OR r.rolbypassrls,
           pg_has_role(r.oid, current_user, 'USAGE'),
           pg_has_role(current_user, r.oid, 'SET')
    FROM pg_roles AS r WHERE r.rolname = %s
"""


def check_server(dsn: str) -> Iterator[Finding]:
    """Stops at a server that cannot be reached, and at tables that another role owns."""
    try:
        with translate_errors(dsn), closing(connect(dsn)) as connection:
            server = _server(connection, dsn)
            yield server
            if not server.good:
                return
            yield _login(connection)
            yield _vector(connection)
            yield _schemas(connection)
            yield _reader(connection)
            yield _foreign_readers(connection)
            owner_check = _owner(connection)
            yield owner_check
            if not owner_check.good:
                return
            schema = _migrations(connection, dsn)
            yield schema
            if schema.good:
                yield _row_security(connection)
    except StoreError as error:
        yield Finding("postgres", False, str(error))


def _server(connection: Connection, dsn: str) -> Finding:
    if problem := server_problem(connection):
        return Finding("postgres", False, problem)
    major, minor = divmod(connection.info.server_version, 10_000)
    detail = f"{major}.{minor} at {redacted(dsn)}, {OLDEST_SERVER} or newer needed"
    return Finding("postgres", True, detail)


def _login(connection: Connection) -> Finding:
    row = connection.execute("SELECT rolsuper FROM pg_roles WHERE rolname = current_user")
    name = connection.info.user
    if (True,) in row:
        return Finding("login", True, f"{name} is a superuser, which docgraph does not need")
    return Finding("login", True, f"{name}, no superuser; none is needed")


def _vector(connection: Connection) -> Finding:
    row = connection.execute(_VECTOR, (READER,)).fetchone()
    if row is None:
        command = f"{ADMINISTRATOR} CREATE EXTENSION vector;"
        return Finding("vector", False, f"the extension is missing; {command}")
    version, schema, usable = row
    if not usable:
        command = f'GRANT USAGE ON SCHEMA "{schema}" TO {READER};'
        return Finding("vector", False, f"{READER} cannot use it; run, as its owner: {command}")
    if problem := vector_problem(version):
        return Finding("vector", False, problem)
    needed = ".".join(map(str, OLDEST_VECTOR))
    return Finding("vector", True, f"{version} in schema {schema}, {needed} or newer needed")


def _schemas(connection: Connection) -> Finding:
    """Where this login's names are looked up."""
    if problems := foreign_creators(connection):
        roles = ", ".join(one.what for one in problems)
        commands = " ".join(one.command for one in problems)
        danger = "what they make this login may run"
        return Finding("schemas", False, f"{roles}: {danger}; {ADMINISTRATOR} {commands}")
    return Finding("schemas", True, "nobody else may make things where docgraph looks for names")


def _foreign_readers(connection: Connection) -> Finding:
    if problem := foreign_readers(connection):
        return Finding("connect", False, f"{problem.what}; run: {problem.command}")
    return Finding("connect", True, f"no other login that may become {READER} can connect")


def _owner(connection: Connection) -> Finding:
    if problem := foreign_owner(connection):
        return Finding("owner", False, f"{problem.what}; {ADMINISTRATOR} {problem.command}")
    name = owner(connection)
    detail = f"the tables belong to {name}" if name else "there are no tables yet"
    return Finding("owner", True, detail)


def _row_security(connection: Connection) -> Finding:
    if changes := differences(read_catalog(connection)):
        return Finding("row security", False, f"{NOT_AS_MADE}: {changes}; {COMMAND}")
    return Finding("row security", True, "as docgraph made it")


def _reader(connection: Connection) -> Finding:
    row = connection.execute(_READER, (READER,)).fetchone()
    grant = grant_reader(connection)
    run = "let a database administrator run:"
    if row is None:
        command = f"CREATE ROLE {READER} NOLOGIN; {grant}"
        return Finding("reader", False, f"there is no role {READER}; {run} {command}")
    bypasses, owns, granted = row
    unbound = f"row-level security does not bind {READER}"
    if bypasses:
        command = f"ALTER ROLE {READER} NOSUPERUSER NOBYPASSRLS;"
        return Finding("reader", False, f"{unbound}; {run} {command}")
    if owns:
        command = f'REVOKE "{connection.info.user}" FROM {READER};'
        return Finding(
            "reader",
            False,
            f"{unbound}, which is a member of this login; {run} {command}",
        )
    if not granted:
        return Finding("reader", False, f"this login may not become {READER}; {run} {grant}")
    return Finding("reader", True, f"{READER}, whom row-level security binds")


def _migrations(connection: Connection, dsn: str) -> Finding:
    try:
        due = pending(connection, dsn)
    except StoreError as error:
        return Finding("migrations", False, str(error))
    if due:
        names = ", ".join(one.name for one in due)
        return Finding("migrations", False, f"pending: {names}; {COMMAND}")
    return Finding("migrations", True, f"schema {len(migrations())}, nothing pending")
