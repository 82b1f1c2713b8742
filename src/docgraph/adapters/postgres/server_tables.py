"""The book of ingestions in Postgres."""

from collections.abc import Iterator
from contextlib import contextmanager

from docgraph.adapters.postgres.database import PostgresDatabase
from docgraph.adapters.postgres.pool import Pool
from docgraph.adapters.postgres.row_security import as_reader, bind_tenant
from docgraph.adapters.sql.job_rows import IngestionRows
from docgraph.adapters.sql.key_rows import KeyRows
from docgraph.model.access import ApiKey
from docgraph.model.ingest_job import IngestJob, JobOwner

# The tables that servers share: read with a tenant's eyes, written as the owner.


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


class PostgresIngestions:
    def __init__(self, pool: Pool) -> None:
        self._tables = ServerTables(pool)

    def add(self, ingestion: IngestJob) -> None:
        with self._tables.as_owner() as database:
            IngestionRows(database.queries("server.sql")).add(ingestion)

    def get(self, tenant: str, ingestion_id: str) -> IngestJob | None:
        with self._tables.of_tenant(tenant) as database:
            return IngestionRows(database.queries("server.sql")).get(tenant, ingestion_id)

    def list_jobs(self, asker: JobOwner, last: int) -> tuple[IngestJob, ...]:
        with self._tables.of_tenant(asker.tenant) as database:
            return IngestionRows(database.queries("server.sql")).list_jobs(asker, last)

    def pending(self, asker: JobOwner) -> int:
        with self._tables.of_tenant(asker.tenant) as database:
            return IngestionRows(database.queries("server.sql")).pending(asker)

    def claim(self, owner: str, lease: float) -> IngestJob | None:
        with self._tables.as_owner() as database:
            return IngestionRows(database.queries("server.sql")).claim(owner, lease)

    def renew(self, ingestion_id: str, owner: str, lease: float, progress: str) -> bool:
        with self._tables.as_owner() as database:
            rows = IngestionRows(database.queries("server.sql"))
            return rows.renew(ingestion_id, owner, lease, progress)

    def finish(self, ingestion_id: str, owner: str, *, result: str = "", error: str = "") -> bool:
        with self._tables.as_owner() as database:
            rows = IngestionRows(database.queries("server.sql"))
            return rows.finish(ingestion_id, owner, result, error)

    def release(self, ingestion_id: str, owner: str, *, counted: bool = False) -> bool:
        with self._tables.as_owner() as database:
            rows = IngestionRows(database.queries("server.sql"))
            return rows.release(ingestion_id, owner, counted)


# API keys in Postgres.


class PostgresKeys:
    def __init__(self, pool: Pool) -> None:
        self._tables = ServerTables(pool)

    def add(self, key: ApiKey, secret_hash: bytes) -> None:
        with self._tables.as_owner() as database:
            KeyRows(database.queries("server.sql")).add(key, secret_hash)

    def find(self, key_id: str) -> tuple[ApiKey, bytes] | None:
        with self._tables.as_owner() as database:
            return KeyRows(database.queries("server.sql")).find(key_id)

    def list_keys(self, tenant: str) -> tuple[ApiKey, ...]:
        with self._tables.of_tenant(tenant) as database:
            return KeyRows(database.queries("server.sql")).list_keys(tenant)

    def remove(self, tenant: str, key_id: str) -> bool:
        with self._tables.as_owner() as database:
            return KeyRows(database.queries("server.sql")).remove(tenant, key_id)
