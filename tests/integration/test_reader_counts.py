"""Hidden documents change nothing that the reader's role can read, count or call in Postgres."""

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest
from psycopg import sql

from docgraph.adapters.postgres.connection import Connection, connect
from docgraph.adapters.postgres.pool import Pool
from docgraph.adapters.postgres.store import PostgresStore
from docgraph.model.access import LOCAL_ONLY, AccessRule
from docgraph.ports.store import Store
from tests.conformance.store_rules import writing
from tests.support.postgres_server import PostgresServer
from tests.support.small_world import document, write

HIDDEN = AccessRule("local", frozenset({"board"}))
_RELATIONS = """
    SELECT s.nspname, c.relname,
           (SELECT array_agg(a.attname::text ORDER BY a.attnum) FROM pg_attribute AS a
            WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
              AND has_column_privilege('docgraph_reader', c.oid, a.attnum, 'SELECT'))
    FROM pg_class AS c JOIN pg_namespace AS s ON s.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm') AND s.nspname !~ '^pg_|^information_schema$'
      AND has_any_column_privilege('docgraph_reader', c.oid, 'SELECT')
    ORDER BY 1, 2
"""
_FUNCTIONS = """
    SELECT s.nspname, p.proname
    FROM pg_proc AS p JOIN pg_namespace AS s ON s.oid = p.pronamespace
    WHERE s.nspname = 'docgraph' AND p.pronargs = 0 AND p.prorettype <> 'trigger'::regtype
      AND has_function_privilege('docgraph_reader', p.oid, 'EXECUTE')
    ORDER BY 1, 2
"""
_BIND = """
    SELECT set_config('docgraph.access_classes', %s, true),
           set_config('docgraph.scope', %s, true), set_config('docgraph.tenant', %s, true),
           set_config('role', 'docgraph_reader', true)
"""
_CLASS = "SELECT id FROM access_classes WHERE rule LIKE '%%\"local\"]%%' ORDER BY id"
SCOPE = json.dumps([{"branch": 1, "snapshot": 2, "newest": 2, "miners": ["links", "titles"]}])


@contextmanager
def opened(dsn: str) -> Iterator[PostgresStore]:
    with closing(Pool(dsn, size=2)) as pool:
        yield PostgresStore(pool, now=lambda: "now", wait=5)


def publish(store: Store, texts: dict[str, str], rule: AccessRule, repository: str = "r") -> None:
    with writing(store, repository) as writes:
        write(writes, [document(path, text, rule=rule) for path, text in texts.items()])
        writes.publish()


def all_rows(connection: Connection) -> dict[str, list[str]]:
    """Of every relation and function that the role may use, whichever these are."""
    connection.execute("RESET ROLE")
    relations = connection.execute(_RELATIONS).fetchall()
    functions = connection.execute(_FUNCTIONS).fetchall()
    connection.execute("SET LOCAL ROLE docgraph_reader")
    found = {}
    for schema, name, columns in relations:
        text = sql.SQL("SELECT ROW({})::text FROM {}").format(
            sql.SQL(", ").join(map(sql.Identifier, columns)), sql.Identifier(schema, name)
        )
        found[name] = sorted(row for (row,) in connection.execute(text))
    for schema, name in functions:
        text = sql.SQL("SELECT one::text FROM {}() AS one").format(sql.Identifier(schema, name))
        found[f"{name}()"] = sorted(row for (row,) in connection.execute(text))
    return found


def readable_rows(dsn: str, scope: str) -> list[dict[str, list[str]]]:
    """Where nothing is bound, where a reader is, and where a tenant is as well."""
    results = []
    with closing(connect(dsn)) as connection:
        (number,) = connection.execute(_CLASS).fetchone() or (0,)
        for bound in (("", "", ""), (str(number), scope, ""), (str(number), scope, "local")):
            with connection.transaction():
                connection.execute(_BIND, bound)
                results.append(all_rows(connection))
    return results


@pytest.mark.requirement(36)
def test_hidden_documents_change_nothing_that_the_readers_role_can_read(
    postgres: PostgresServer,
) -> None:
    """Twin databases: the second has hidden documents, in the same branch and in another."""
    results = []
    for hidden in (False, True):
        dsn = postgres.fresh_database()
        with opened(dsn) as store:
            publish(store, {"a.md": "# Wind\n\nSee [b](b.md).", "b.md": "# Sea"}, LOCAL_ONLY)
            publish(store, {"h.md": "# Wind and [b](b.md)"} if hidden else {}, HIDDEN)
            if hidden:
                publish(store, {"x.md": "# Wind", "y.md": "secret"}, HIDDEN, "other")
                with store.access_policy("local") as policy:
                    policy.set_manual_rule("r", ("h.md",), HIDDEN)
        results.append(readable_rows(dsn, SCOPE))
        postgres.drop(dsn)
    without, with_hidden = results
    assert without == with_hidden
    unbound, bound, _ = without
    assert not any(unbound.values())
    assert all(bound[name] for name in ("documents", "visible_documents", "masked_segments"))
