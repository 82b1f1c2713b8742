"""The second lock as docgraph makes it: what the query `row_security` of catalog.sql finds where
nobody has schema_differences, and where no backup came back without its roles.
"""

import json
import re
from collections.abc import Iterable, Mapping
from importlib import resources

from docgraph.adapters.postgres.connection import Connection, isolated
from docgraph.adapters.postgres.database import PostgresDatabase
from docgraph.adapters.postgres.errors import READER
from docgraph.adapters.sql.database import named_queries, script
from docgraph.adapters.sql.version_table import VersionTable

_PACKAGE = "docgraph.adapters.postgres"
_SQL = named_queries("docgraph.adapters.postgres", "catalog.sql")
_NAMES = re.compile(r"^CREATE (?:OR REPLACE )?(?:TABLE|VIEW|FUNCTION) (\w+(?:\(\))?)", re.MULTILINE)
_BODY = re.compile(r"FUNCTION (\w+)\(\).*?\$\$(.*?)\$\$;", re.DOTALL)
_FIRST = "migrations/0002_row_security.sql"
_MOST = 3  # differences that are told one by one

_LOCK, _POLICY, _GRANT, _VIEW, _FUNCTION, _OWNER = (
    "row-level security of the table",
    "policy",
    "grant",
    "view",
    "function",
    "owner of",
)
_BY_CLASS = ("documents", "document_nodes", "vector_chunks", "claims", "offers", "segments")
_END = (
    "(EXISTS ( SELECT 1 FROM (((document_nodes n JOIN documents d ON ((d.ordinal = n.document))) "
    "JOIN branches b ON ((b.id = d.branch))) "
    "JOIN branches own ON ((own.id = document_relationships.branch))) "
    "WHERE ((n.id = document_relationships.{}) AND (b.tenant = own.tenant) "
    "AND ((b.id = own.id) OR (b.repository <> own.repository)))))"
)
_BOUND = "(tenant = NULLIF(current_setting('docgraph.tenant'::text, true), ''::text))"
_POLICIES = {
    **{f"{one}.by_class": "(class IN ( SELECT readable() AS readable))" for one in _BY_CLASS},
    "postings.by_segment": "(segment IN ( SELECT s.id FROM segments s))",
    "contents.by_document": (
        "(EXISTS ( SELECT 1 FROM documents d WHERE (d.content = contents.id)))"
    ),
    "vectors.by_chunk": ("(EXISTS ( SELECT 1 FROM vector_chunks c WHERE (c.vector = vectors.id)))"),
    **{f"{one}.by_tenant": _BOUND for one in ("api_keys", "ingestions")},
    "document_relationships.by_ends": f"({_END.format('source')} AND {_END.format('target')})",
}
_LOCKED = tuple(name.partition(".")[0] for name in _POLICIES)
_OF_KEYS = ("id", "tenant", "person", "created", "expires", "note")  # and not the secret's hash
_OPEN = ("changes", "branches", "snapshots", "access_classes")
_WITH_OWN_EYES = (
    *("visible_documents", "visible_texts", "visible_nodes", "visible_offers", "visible_claims"),
    *("visible_meetings", "visible_answers", "visible_chunks", "visible_vectors"),
    *("visible_relationships", "masked_segments", "masked_postings", "masked_vectors"),
)
_LIVES = {
    "document_lives": (
        " SELECT b.tenant, d.ordinal, d.branch, d.born, d.died, d.class "
        "FROM (documents d JOIN branches b ON ((b.id = d.branch)));"
    ),
    "segment_lives": (
        " SELECT b.tenant, s.id FROM (segments s JOIN branches b ON ((b.id = s.branch)));"
    ),
}

Row = tuple[str, str, str]
MADE: frozenset[Row] = frozenset(
    {
        *((_LOCK, table, "on") for table in _LOCKED),
        *((_POLICY, name, f"r permissive {READER} {made}") for name, made in _POLICIES.items()),
        *(
            (_GRANT, f"{name} to {READER}", "SELECT")
            for name in (*_LOCKED, *_OPEN, *_WITH_OWN_EYES, *_LIVES)
            if name != "api_keys"
        ),
        *((_GRANT, f"api_keys.{name} to {READER}", "SELECT") for name in _OF_KEYS),
        (_GRANT, f"schema docgraph to {READER}", "USAGE"),
        *((_VIEW, name, "with the eyes of whoever asks") for name in _WITH_OWN_EYES),
        *((_VIEW, name, made) for name, made in _LIVES.items()),
        *(
            (_FUNCTION, f"{name}()", f"sql f s {body}")
            for name, body in _BODY.findall(script(_PACKAGE, _FIRST))
        ),
    }
)
OWN = frozenset(
    name
    for file in (resources.files(_PACKAGE) / "migrations").iterdir()
    for name in _NAMES.findall(file.read_text(encoding="utf-8"))
) | {"schema_versions"}


def found(connection: Connection) -> frozenset[Row]:
    """What the catalog says; a table that somebody else put beside docgraph's is theirs, but for
    what docgraph_reader may do with it."""
    with isolated(connection):
        rows = connection.execute(_SQL["row_security"])
        return frozenset(
            (kind, name, made)
            for kind, name, made in rows
            if kind == _GRANT or name.partition(".")[0] in OWN
        )


def differences(rows: frozenset[Row]) -> str:
    """In words, or nothing where all is as docgraph made it."""
    made = {row[:2] for row in MADE}
    there = {row[:2] for row in rows}
    told = [
        *(_missing(kind, name) for kind, name in sorted(made - there)),
        *(
            f"the {kind} {name} was changed"
            for kind, name, _ in sorted(rows - MADE)
            if (kind, name) in made
        ),
        *(_put_in(row) for row in sorted(rows) if row[:2] not in made),
    ]
    more = f" and {len(told) - _MOST} more" if len(told) > _MOST else ""
    return ", ".join(told[:_MOST]) + more


def strays(rows: frozenset[Row]) -> tuple[str, ...]:
    """Of docgraph's tables, views and functions those that belong to another than its schema."""
    return tuple(sorted(name for kind, name, _ in rows if kind == _OWNER))


def put_on(connection: Connection) -> None:
    """In a transaction of the caller's."""
    for file in (_FIRST, "row_security.sql"):
        connection.execute(script(_PACKAGE, file).encode())


def _missing(kind: str, name: str) -> str:
    return f"{kind} {name} is off" if kind == _LOCK else f"the {kind} {name} is missing"


def _put_in(row: Row) -> str:
    kind, name, made = row
    if kind == _OWNER:
        return f"{name} belongs to {made}"
    return f"the {kind} {name} was put in" if kind != _LOCK else f"{kind} {name} was put on"


# A reader's rights, bound to one transaction: they end with it, whatever happens.


def as_reader(database: PostgresDatabase) -> None:
    """Inside a transaction, before anything is read: no rights, and not those of the login."""
    database.queries("guard.sql").row("put_on_the_readers_role")


def guard(
    database: PostgresDatabase,
    rows: VersionTable,
    classes: Iterable[int],
    snapshots: Mapping[int, int],
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
