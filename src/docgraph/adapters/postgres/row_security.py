"""Row-level security as docgraph sets it up, and the rights of one reader.

`EXPECTED` is what the query `row_security` of catalog.sql returns for an unchanged database, which
was not restored without its roles.
"""

import json
import re
from collections.abc import Iterable, Mapping
from importlib import resources

from docgraph.adapters.postgres.connection import Connection, isolated
from docgraph.adapters.postgres.database import PostgresDatabase
from docgraph.adapters.postgres.errors import READER
from docgraph.adapters.sql.database import named_queries, relations_view, script
from docgraph.adapters.sql.version_table import VersionTable
from docgraph.model.digest import digest

_PACKAGE = "docgraph.adapters.postgres"
_SQL = named_queries("docgraph.adapters.postgres", "catalog.sql")
_NAMES = re.compile(r"^CREATE (?:OR REPLACE )?(?:TABLE|VIEW|FUNCTION) (\w+(?:\(\))?)", re.MULTILINE)
_FUNCTIONS = re.compile(
    r"FUNCTION (\w+\(\)).*?LANGUAGE (\w+) STABLE[^\n]*\n(?:SET (.*?)\n)?AS \$\$(.*?)\$\$;",
    re.DOTALL,
)
_FIRST = "migrations/0002_row_security.sql"
_MAX_LISTED = 3  # differences that a message lists

_ENABLED, _POLICY, _GRANT, _VIEW, _FUNCTION, _OWNER = (
    "row-level security of the table",
    "policy",
    "grant",
    "view",
    "function",
    "owner of",
)
_BY_CLASS = (
    "documents",
    "document_nodes",
    "vector_chunks",
    "node_references",
    "definitions",
    "segments",
    "document_embeddings",
    "summary_vectors",
    "node_vectors",
    "chunk_vectors",
)
_END = (
    "(EXISTS ( SELECT 1 FROM (((document_nodes n JOIN documents d ON ((d.version = n.version))) "
    "JOIN branches b ON ((b.id = d.branch))) "
    "JOIN branches own ON ((own.id = stated_relationships.branch))) "
    "WHERE ((n.id = stated_relationships.{}) AND (b.tenant = own.tenant) "
    "AND ((b.id = own.id) OR (b.repository <> own.repository)))))"
)
_BOUND = "(tenant = NULLIF(current_setting('docgraph.tenant'::text, true), ''::text))"
_POLICIES = {
    **{
        f"{one}.by_class": "(access_class IN ( SELECT readable_classes() AS readable_classes))"
        for one in _BY_CLASS
    },
    "postings.by_segment": "(segment IN ( SELECT s.id FROM segments s))",
    "contents.by_document": (
        "(EXISTS ( SELECT 1 FROM documents d WHERE (d.content = contents.id)))"
    ),
    "vectors.by_chunk": (
        "(EXISTS ( SELECT 1 FROM chunk_vectors c WHERE (c.vector_id = vectors.id)))"
    ),
    **{f"{one}.by_tenant": _BOUND for one in ("api_keys", "ingest_jobs")},
    "branches.by_scope": (
        "(id IN ( SELECT requested_snapshots.branch "
        "FROM requested_snapshots() "
        "requested_snapshots(branch, snapshot, miners, newest, last_embedding)))"
    ),
    "stated_relationships.by_ends": f"({_END.format('source')} AND {_END.format('target')})",
}
_RESTRICTED = tuple(name.partition(".")[0] for name in _POLICIES)
_COLUMNS = {  # of tables that are granted in part
    "api_keys": ("id", "tenant", "principal", "created", "expires", "note"),  # not the hash
    "branches": ("id", "tenant", "repository", "name"),  # not the number of snapshots
}
_INVOKER_VIEWS = (
    *("visible_documents", "visible_texts", "visible_nodes", "visible_definitions"),
    *("visible_references", "visible_definition_matches"),
    *("visible_chunks", "visible_node_vectors", "visible_summary_vectors"),
    *("visible_chunk_vectors", "visible_vectors", "visible_relationships"),
    *("masked_segments", "masked_postings"),
)
# A view for clients of SQL. It has the digest of its text as a comment, and is made anew where that
# is another.
_RELATIONS = "document_relationships"
_RELATIONS_DIGEST = digest(relations_view(_PACKAGE))
Row = tuple[str, str, str]


def _function(language: str, setting: str, body: str) -> str:
    """As the catalog describes it: run with the rights of its caller, and stable."""
    settings = f'{{"{setting.replace(" = ", "=")}"}} ' if setting else ""
    return f"{language} f s {settings}{body}"


EXPECTED: frozenset[Row] = frozenset(
    {
        *((_ENABLED, table, "on") for table in _RESTRICTED),
        *((_POLICY, name, f"r permissive {READER} {made}") for name, made in _POLICIES.items()),
        *(
            (_GRANT, f"{name} to {READER}", "SELECT")
            for name in (*_RESTRICTED, *_INVOKER_VIEWS, _RELATIONS)
            if name not in _COLUMNS
        ),
        *(
            (_GRANT, f"{table}.{name} to {READER}", "SELECT")
            for table, names in _COLUMNS.items()
            for name in names
        ),
        (_GRANT, f"schema docgraph to {READER}", "USAGE"),
        *((_VIEW, name, "security_invoker") for name in _INVOKER_VIEWS),
        (_VIEW, _RELATIONS, f"security_invoker {_RELATIONS_DIGEST}"),
        *(
            (_FUNCTION, name, _function(language, setting, body))
            for name, language, setting, body in _FUNCTIONS.findall(script(_PACKAGE, _FIRST))
        ),
    }
)
OWN_NAMES = frozenset(
    name
    for file in (resources.files(_PACKAGE) / "migrations").iterdir()
    for name in _NAMES.findall(file.read_text(encoding="utf-8"))
) | {"schema_versions", _RELATIONS}


def read_catalog(connection: Connection) -> frozenset[Row]:
    """Objects of other owners beside docgraph's do not count, except docgraph_reader's grants."""
    with isolated(connection):
        rows = connection.execute(_SQL["row_security"])
        return frozenset(
            (kind, name, definition)
            for kind, name, definition in rows
            if kind == _GRANT or name.partition(".")[0] in OWN_NAMES
        )


def differences(rows: frozenset[Row]) -> str:
    """As a message; empty where everything is as docgraph made it."""
    expected = {row[:2] for row in EXPECTED}
    actual = {row[:2] for row in rows}
    messages = [
        *(_missing(kind, name) for kind, name in sorted(expected - actual)),
        *(
            f"the {kind} {name} was changed"
            for kind, name, _ in sorted(rows - EXPECTED)
            if (kind, name) in expected
        ),
        *(_added(row) for row in sorted(rows) if row[:2] not in expected),
    ]
    more = f" and {len(messages) - _MAX_LISTED} more" if len(messages) > _MAX_LISTED else ""
    return ", ".join(messages[:_MAX_LISTED]) + more


def foreign_objects(rows: frozenset[Row]) -> tuple[str, ...]:
    """Docgraph's tables, views and functions whose owner is not that of its schema."""
    return tuple(sorted(name for kind, name, _ in rows if kind == _OWNER))


def set_up_row_security(connection: Connection) -> None:
    """Inside the caller's transaction."""
    comment = f"COMMENT ON VIEW {_RELATIONS} IS '{_RELATIONS_DIGEST}';"
    for text in (script(_PACKAGE, _FIRST), relations_view(_PACKAGE), comment):
        connection.execute(text.encode())
    connection.execute(script(_PACKAGE, "row_security.sql").encode())


def _missing(kind: str, name: str) -> str:
    return f"{kind} {name} is off" if kind == _ENABLED else f"the {kind} {name} is missing"


def _added(row: Row) -> str:
    kind, name, definition = row
    if kind == _OWNER:
        return f"{name} belongs to {definition}"
    return f"the {kind} {name} was put in" if kind != _ENABLED else f"{kind} {name} was put on"


def as_reader(database: PostgresDatabase) -> None:
    """For the rest of the transaction: the role without rights in place of the login."""
    database.queries("session.sql").row("set_reader_role")


def guard(
    database: PostgresDatabase,
    rows: VersionTable,
    classes: Iterable[int],
    snapshots: Mapping[int, int],
) -> None:
    """Binds a reader's access classes and snapshots, for the rest of the transaction."""
    newest = {branch.id: branch.newest for branch in rows.branches}
    scope = [
        {
            "branch": branch,
            "snapshot": number,
            "miners": rows.snapshots[branch, number].miners,
            "newest": newest[branch],
            "last_embedding": rows.snapshots[branch, number].last_embedding,
        }
        for branch, number in sorted(snapshots.items())
    ]
    database.queries("session.sql").row(
        "bind_read_filter", classes=",".join(map(str, classes)), scope=json.dumps(scope)
    )


def bind_tenant(database: PostgresDatabase, tenant: str) -> None:
    """Whose API keys and ingest jobs may be read, for the rest of the transaction."""
    database.queries("session.sql").row("bind_tenant", tenant=tenant)
