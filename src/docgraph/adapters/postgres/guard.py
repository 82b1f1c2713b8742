"""A reader's rights, bound to one transaction: they end with it, whatever happens."""

import json
from collections.abc import Iterable, Mapping

from docgraph.adapters.postgres.database import PostgresDatabase
from docgraph.adapters.sql.visible import Rows


def as_reader(database: PostgresDatabase) -> None:
    """Inside a transaction, before anything is read: no rights, and not those of the login."""
    database.queries("guard.sql").row("put_on_the_readers_role")


def guard(
    database: PostgresDatabase, rows: Rows, classes: Iterable[int], snapshots: Mapping[int, int]
) -> None:
    """`classes` may be read, in snapshots by branch."""
    scope = [
        {"branch": branch, "snapshot": number, "miners": rows.snapshots[branch, number].miners}
        for branch, number in sorted(snapshots.items())
    ]
    database.queries("guard.sql").row(
        "bind_rights", classes=",".join(map(str, classes)), scope=json.dumps(scope)
    )


def bind_tenant(database: PostgresDatabase, tenant: str) -> None:
    """Whose API keys and ingestions may be read."""
    database.queries("guard.sql").row("bind_tenant", tenant=tenant)
