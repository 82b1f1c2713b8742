"""The tables that servers share: read with a tenant's eyes, written as the owner."""

from collections.abc import Iterator
from contextlib import contextmanager

from docgraph.adapters.postgres.database import PostgresDatabase
from docgraph.adapters.postgres.guard import as_reader, bind_tenant
from docgraph.adapters.postgres.pool import Pool


class ServerTables:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @contextmanager
    def of_tenant(self, tenant: str) -> Iterator[PostgresDatabase]:
        """A read transaction in which Postgres shows rows of this tenant alone."""
        with self._pool.connection() as connection:
            database = PostgresDatabase(connection)
            with database.reading():
                as_reader(database)
                bind_tenant(database, tenant)
                yield database

    @contextmanager
    def as_owner(self) -> Iterator[PostgresDatabase]:
        """For what is written, and for what is looked for before a tenant is known."""
        with self._pool.connection() as connection:
            database = PostgresDatabase(connection)
            with database.transaction():
                yield database
