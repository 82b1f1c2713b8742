"""The views of the first lock, as the database holds them, with a part of that lock taken out."""

import re
from collections.abc import Callable

from psycopg import sql

from docgraph.adapters.postgres.connection import SCHEMA, Connection

_VIEWS = """
    SELECT relname, pg_get_viewdef(oid, true) FROM pg_class
    WHERE relnamespace = %s::regnamespace AND relkind = 'v'
      AND (relname ~ '^(visible|masked)_' OR relname = 'document_relationships')
    ORDER BY relname
"""
_RIGHTS = re.compile(r"\w+\.access_class IN \( SELECT readable_classes\(\) AS readable_classes\)")
_SCOPE = re.compile(r"\n\s+JOIN requested_snapshots\(\)[^\n]*")
_EMBEDDED = re.compile(r" AND \w+\.id <= s\.last_embedding")
_EDGES = (
    "SELECT source, source_document, relation, target, target_document, origins, evidence"
    " FROM stated_relationships"
)


def views(connection: Connection) -> dict[str, str]:
    return dict(connection.execute(_VIEWS, [SCHEMA]).fetchall())


def forget_rights(connection: Connection) -> None:
    """They ask for snapshots alone."""
    _replace(connection, lambda _, text: _RIGHTS.sub("true", text))
    assert not any("readable_classes" in text for text in views(connection).values())


def forget_everything(connection: Connection) -> None:
    """Nothing on classes, snapshots, embeddings or miners; edges without a look at their ends.

    `document_relationships` never asks for classes; it lists the snapshots that are requested.
    """
    _replace(
        connection,
        lambda name, text: (
            _EDGES
            if name == "visible_relationships"
            else _EMBEDDED.sub("", _SCOPE.sub("", _RIGHTS.sub("true", text)))
        ),
    )
    for text in views(connection).values():
        assert not any(word in text for word in ("readable_classes", "requested_snapshots")), text


def _replace(connection: Connection, rewrite: Callable[[str, str], str]) -> None:
    """They still run with the rights of the reader."""
    for name, text in views(connection).items():
        make = sql.SQL("CREATE OR REPLACE VIEW {} WITH (security_invoker) AS ")
        head = make.format(sql.Identifier(name)).as_bytes(connection)
        connection.execute(head + rewrite(name, text).encode())
