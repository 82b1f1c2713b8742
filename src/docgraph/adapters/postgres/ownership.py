"""Who owns docgraph's schema, and who else may create objects or read there: each problem with the
command that ends it."""

from typing import NamedTuple

from docgraph.adapters.postgres.connection import Connection, isolated, quoted
from docgraph.adapters.postgres.errors import READER
from docgraph.adapters.sql.database import Row, named_queries

_SQL = named_queries("docgraph.adapters.postgres", "catalog.sql")


class OwnershipProblem(NamedTuple):
    what: str
    command: str


def grant_reader(connection: Connection) -> str:
    """The login switches to the reader role to read, and does not inherit its rights."""
    return f"GRANT {READER} TO {quoted(connection.info.user)} WITH INHERIT FALSE, SET TRUE;"


def foreign_owner(connection: Connection) -> OwnershipProblem | None:
    """The login has to own the schema and what is in it."""
    rows = _query(connection, "schema_owner")
    if not rows or rows[0][1]:
        return None
    login = connection.info.user
    return OwnershipProblem(
        f"the tables belong to {rows[0][0]}, this login is {login}, who has to own them",
        f"ALTER SCHEMA docgraph OWNER TO {quoted(login)};",
    )


def owner(connection: Connection) -> str | None:
    rows = _query(connection, "schema_owner")
    return str(rows[0][0]) if rows else None


def foreign_creators(connection: Connection) -> tuple[OwnershipProblem, ...]:
    """A role that creates an operator there can have it run by this login."""
    return tuple(
        _foreign_creator(connection, *row) for row in _query(connection, "foreign_creators")
    )


def _foreign_creator(connection: Connection, schema: str, role: str, how: str) -> OwnershipProblem:
    login = quoted(connection.info.user)
    grantee = role if role == "PUBLIC" else quoted(role)
    commands = {
        "grant": f"REVOKE CREATE ON SCHEMA {quoted(schema)} FROM {grantee};",
        "owner": f"ALTER SCHEMA {quoted(schema)} OWNER TO {login};",
        "database": f"ALTER DATABASE {quoted(connection.info.dbname)} OWNER TO {login};",
    }
    return OwnershipProblem(f"{role} may make things in schema {schema}", commands[how])


def foreign_readers(connection: Connection) -> OwnershipProblem | None:
    """Roles are shared by the whole server: another store's login could read everything here."""
    rows = _query(connection, "foreign_readers")
    if not rows:
        return None
    names = [str(name) for name, _ in rows]
    public = rows[0][1]
    grantees = "PUBLIC" if public else ", ".join(map(quoted, names))
    return OwnershipProblem(
        f"{', '.join(names)} may connect to this database and become {READER}",
        f"REVOKE CONNECT ON DATABASE {quoted(connection.info.dbname)} FROM {grantees};",
    )


def _query(connection: Connection, query: str) -> list[Row]:
    with isolated(connection):
        return connection.execute(_SQL[query]).fetchall()
