"""Whose things are, and who else may put something beside them: each complaint with the command
that ends it."""

from typing import NamedTuple

from docgraph.adapters.postgres.connection import Connection, isolated, quoted
from docgraph.adapters.postgres.errors import READER
from docgraph.adapters.sql.database import Row, named_queries

_SQL = named_queries("docgraph.adapters.postgres", "catalog.sql")


class OwnershipProblem(NamedTuple):
    what: str
    command: str


def grant_reader(connection: Connection) -> str:
    """The login becomes the reader when it reads, and has none of its rights otherwise."""
    return f"GRANT {READER} TO {quoted(connection.info.user)} WITH INHERIT FALSE, SET TRUE;"


def foreign_owner(connection: Connection) -> OwnershipProblem | None:
    """This login has to own the schema and what is in it."""
    rows = _asked(connection, "home")
    if not rows or rows[0][1]:
        return None
    login = connection.info.user
    return OwnershipProblem(
        f"the tables belong to {rows[0][0]}, this login is {login}, who has to own them",
        f"ALTER SCHEMA docgraph OWNER TO {quoted(login)};",
    )


def owner(connection: Connection) -> str | None:
    rows = _asked(connection, "home")
    return str(rows[0][0]) if rows else None


def foreign_creators(connection: Connection) -> tuple[OwnershipProblem, ...]:
    """Whoever makes an operator there has it run by this login."""
    return tuple(_maker(connection, *row) for row in _asked(connection, "makers"))


def _maker(connection: Connection, schema: str, role: str, how: str) -> OwnershipProblem:
    login, who = quoted(connection.info.user), role if role == "PUBLIC" else quoted(role)
    commands = {
        "grant": f"REVOKE CREATE ON SCHEMA {quoted(schema)} FROM {who};",
        "owner": f"ALTER SCHEMA {quoted(schema)} OWNER TO {login};",
        "database": f"ALTER DATABASE {quoted(connection.info.dbname)} OWNER TO {login};",
    }
    return OwnershipProblem(f"{role} may make things in schema {schema}", commands[how])


def foreign_readers(connection: Connection) -> OwnershipProblem | None:
    """The role is the whole server's: another store's login may read here what it likes."""
    rows = _asked(connection, "neighbours")
    if not rows:
        return None
    names = [str(name) for name, _ in rows]
    anybody = rows[0][1]
    whom = "PUBLIC" if anybody else ", ".join(map(quoted, names))
    return OwnershipProblem(
        f"{', '.join(names)} may connect to this database and become {READER}",
        f"REVOKE CONNECT ON DATABASE {quoted(connection.info.dbname)} FROM {whom};",
    )


def _asked(connection: Connection, query: str) -> list[Row]:
    with isolated(connection):
        return connection.execute(_SQL[query]).fetchall()
