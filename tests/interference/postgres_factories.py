"""Postgres stores for the state machine: databases of one server, emptied and reused."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from graphlib import TopologicalSorter

from psycopg import sql

from docgraph.adapters.postgres.connection import SCHEMA, Connection
from docgraph.adapters.postgres.pool import Pool
from docgraph.adapters.postgres.store import PostgresStore
from tests.interference.store_factories import OpenedStore
from tests.support.postgres_server import PostgresServer

# The audit log takes nothing back; the machine keeps its own in memory.
_TABLES = """
    SELECT c.relname, f.relname
    FROM pg_class AS c
         LEFT JOIN pg_constraint AS k ON k.conrelid = c.oid AND k.contype = 'f'
         LEFT JOIN pg_class AS f ON f.oid = k.confrelid
    WHERE c.relnamespace = %s::regnamespace AND c.relkind = 'r'
      AND c.relname NOT LIKE 'audit%%' AND c.relname <> 'schema_versions'
"""
_NUMBERS_BEGIN = "SELECT setval(seqrelid::regclass, seqstart, false) FROM pg_sequence"


class PostgresStoreFactory:
    def __init__(
        self, server: PostgresServer, altered: Callable[[Connection], None], index: str
    ) -> None:
        self._server = server
        self._index = index
        self._altered = altered
        self._free: list[Pool] = []

    def __call__(self) -> OpenedStore:
        pool = self._free.pop() if self._free else self._new()
        store = PostgresStore(pool, now=lambda: "now", wait=5, index=self._index)
        return OpenedStore(store, lambda: self._left(store, pool))

    def _new(self) -> Pool:
        pool = Pool(self._server.fresh_database(), size=2)
        with pool.connection() as connection:
            self._altered(connection)
        return pool

    def _left(self, store: PostgresStore, pool: Pool) -> None:
        """Whatever a run did, every row has its document's class.

        Rows are deleted: that takes a third of the time of TRUNCATE, a tenth of a new copy's.
        """
        assert store.verify().problems == ()
        with pool.connection() as connection, connection.transaction():
            for table in _in_order(connection):
                connection.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(table)))
            connection.execute(_NUMBERS_BEGIN)
        self._free.append(pool)

    def close(self) -> None:
        for pool in self._free:
            pool.close()
            self._server.drop(pool.dsn)


@contextmanager
def on_postgres(
    server: PostgresServer,
    altered: Callable[[Connection], None] = lambda _: None,
    index: str = "packed",
) -> Iterator[PostgresStoreFactory]:
    """`altered` is what a test does to every database before it is used."""
    store_factory = PostgresStoreFactory(server, altered, index)
    try:
        yield store_factory
    finally:
        store_factory.close()


def _in_order(connection: Connection) -> list[str]:
    """Tables that refer to others come first."""
    order: TopologicalSorter[str] = TopologicalSorter()
    for table, other in connection.execute(_TABLES, [SCHEMA]):
        order.add(other or table, *([table] if other else ()))
    return list(order.static_order())
