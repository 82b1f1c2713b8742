"""Relations as the view `document_relationships` lists them, and as the engine does."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any, NamedTuple

from docgraph.adapters.postgres.connection import connect
from docgraph.adapters.postgres.store import PostgresStore
from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.engine import Engine
from docgraph.model.access import AccessRule, Principal
from docgraph.model.edge import Edge, EdgeEvidence, Relationship
from docgraph.model.errors import NotVisible
from docgraph.model.node import repository_of
from docgraph.model.snapshot import ALL_REPOSITORIES, SnapshotSelector
from docgraph.ports.store import Store

_BRANCHES = "SELECT tenant, repository, name FROM branches ORDER BY tenant, repository, name"
_RELATIONS = """
    SELECT tenant, repository, branch, by_default, source, relation, target, origins, evidence
    FROM document_relationships
"""


class Unrestricted(Principal):
    """Who may read every document of a tenant, whatever its rule says."""

    __slots__ = ()

    def may_read(self, rule: AccessRule) -> bool:
        return True


def unrestricted(tenant: str) -> Principal:
    """In a group of their own: views are cached by rights."""
    return Unrestricted("keeper", tenant, frozenset({"all-seeing"}))


class ListedRelation(NamedTuple):
    """A row of the view; `place` is tenant, repository and branch."""

    place: tuple[str, str, str]
    by_default: bool
    relationship: Relationship


@contextmanager
def sql_client(store: Store) -> Iterator[Any]:
    """A connection of the owner: beside docgraph, past everything that it does to hide rows."""
    if isinstance(store, SqliteStore):
        opened: Any = sqlite3.connect(vars(store)["_path"])
    else:
        assert isinstance(store, PostgresStore)
        opened = connect(vars(store)["_pool"].dsn)
    with closing(opened) as connection:
        yield connection


def listed_relations(connection: Any) -> list[ListedRelation]:
    """Sorted, as the engine sorts them."""
    return sorted(
        ListedRelation(
            (tenant, repository, branch),
            bool(by_default),
            Relationship(
                Edge(*edge),
                tuple(_value(origins)),
                tuple(EdgeEvidence(**position) for position in _value(evidence)),
            ),
        )
        for tenant, repository, branch, by_default, *edge, origins, evidence in connection.execute(
            _RELATIONS
        )
    )


def _value(column: Any) -> Any:
    """JSON is text in SQLite."""
    return json.loads(column) if isinstance(column, str) else column


def compare_with_engine(engine: Engine) -> list[ListedRelation]:
    """All rows, each branch's of which are those that the engine gives who may see everything."""
    with sql_client(engine.content.store) as connection:
        found = listed_relations(connection)
        places = [tuple(row) for row in connection.execute(_BRANCHES).fetchall()]
    for tenant, repository, branch in places:
        selectors = (*ALL_REPOSITORIES, SnapshotSelector(repository, branch))
        assert [row.relationship for row in found if row.place == (tenant, repository, branch)] == [
            one
            for one in _relations(engine, tenant, selectors)
            if repository_of(one.edge.source) == repository
        ], (tenant, repository, branch)
    for tenant in {tenant for tenant, *_ in places}:
        rows = (row for row in found if row.by_default and row.place[0] == tenant)
        assert sorted(row.relationship for row in rows) == list(_relations(engine, tenant))
    assert {row.place for row in found} <= set(places)
    return found


def _relations(
    engine: Engine, tenant: str, selectors: Sequence[SnapshotSelector] = ALL_REPOSITORIES
) -> Sequence[Relationship]:
    """None of a branch that has no documents left."""
    try:
        return engine.content.relations(unrestricted(tenant), selectors)
    except NotVisible:
        return ()


def reader_relations(engine: Engine, reader: Principal) -> list[Relationship]:
    """On Postgres: what the view shows docgraph_reader in the transaction of a question."""
    with engine.content.store.open_session(reader) as reads:
        connection = vars(vars(reads)["_sql"])["_connection"]
        rows = listed_relations(connection)
        counted = connection.execute("SELECT count(*) FROM document_relationships").fetchone()
    assert counted == (len(rows),)
    assert all(row.by_default for row in rows)
    return sorted(row.relationship for row in rows)
