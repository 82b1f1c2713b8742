"""What a Postgres server needs to hold a store: each thing looked at, with the command that mends
it."""

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
    server_trouble,
    vector_trouble,
)
from docgraph.adapters.postgres.ownership import (
    foreign_creators,
    foreign_owner,
    foreign_readers,
    grant_reader,
    owner,
)
from docgraph.adapters.postgres.row_security import differences, found
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
    """Where the server cannot be reached, that is all there is to say."""
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
            yield _neighbours(connection)
            home = _owner(connection)
            yield home
            if not home.good:
                return
            made = _migrations(connection, dsn)
            yield made
            if made.good:
                yield _row_security(connection)
    except StoreError as error:
        yield Finding("postgres", False, str(error))


def _server(connection: Connection, dsn: str) -> Finding:
    if trouble := server_trouble(connection):
        return Finding("postgres", False, trouble)
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
        mend = f"{ADMINISTRATOR} CREATE EXTENSION vector;"
        return Finding("vector", False, f"the extension is missing; {mend}")
    version, schema, usable = row
    if not usable:
        mend = f'GRANT USAGE ON SCHEMA "{schema}" TO {READER};'
        return Finding("vector", False, f"{READER} cannot use it; run, as its owner: {mend}")
    if trouble := vector_trouble(version):
        return Finding("vector", False, trouble)
    needed = ".".join(map(str, OLDEST_VECTOR))
    return Finding("vector", True, f"{version} in schema {schema}, {needed} or newer needed")


def _schemas(connection: Connection) -> Finding:
    """Where this login's names are looked up."""
    if complaints := foreign_creators(connection):
        told = ", ".join(one.what for one in complaints)
        mend = " ".join(one.command for one in complaints)
        danger = "what they make this login may run"
        return Finding("schemas", False, f"{told}: {danger}; {ADMINISTRATOR} {mend}")
    return Finding("schemas", True, "nobody else may make things where docgraph looks for names")


def _neighbours(connection: Connection) -> Finding:
    if complaint := foreign_readers(connection):
        return Finding("connect", False, f"{complaint.what}; run: {complaint.command}")
    return Finding("connect", True, f"no other login that may become {READER} can connect")


def _owner(connection: Connection) -> Finding:
    if complaint := foreign_owner(connection):
        return Finding("owner", False, f"{complaint.what}; {ADMINISTRATOR} {complaint.command}")
    whose = owner(connection)
    detail = f"the tables belong to {whose}" if whose else "there are no tables yet"
    return Finding("owner", True, detail)


def _row_security(connection: Connection) -> Finding:
    if told := differences(found(connection)):
        return Finding("row security", False, f"{NOT_AS_MADE}: {told}; {COMMAND}")
    return Finding("row security", True, "as docgraph made it")


def _reader(connection: Connection) -> Finding:
    row = connection.execute(_READER, (READER,)).fetchone()
    grant = grant_reader(connection)
    ask = "let a database administrator run:"
    if row is None:
        mend = f"CREATE ROLE {READER} NOLOGIN; {grant}"
        return Finding("reader", False, f"there is no role {READER}; {ask} {mend}")
    unbound, owns, granted = row
    free = f"row-level security does not bind {READER}"
    if unbound:
        mend = f"ALTER ROLE {READER} NOSUPERUSER NOBYPASSRLS;"
        return Finding("reader", False, f"{free}; {ask} {mend}")
    if owns:
        mend = f'REVOKE "{connection.info.user}" FROM {READER};'
        return Finding("reader", False, f"{free}, which is a member of this login; {ask} {mend}")
    if not granted:
        return Finding("reader", False, f"this login may not become {READER}; {ask} {grant}")
    return Finding("reader", True, f"{READER}, whom row-level security binds")


def _migrations(connection: Connection, dsn: str) -> Finding:
    try:
        waiting = pending(connection, dsn)
    except StoreError as error:
        return Finding("migrations", False, str(error))
    if waiting:
        names = ", ".join(one.name for one in waiting)
        return Finding("migrations", False, f"pending: {names}; {COMMAND}")
    return Finding("migrations", True, f"schema {len(migrations())}, nothing pending")
