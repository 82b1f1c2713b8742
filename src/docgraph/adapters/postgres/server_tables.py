"""Ingest jobs and API keys in Postgres."""

from collections.abc import Iterator
from contextlib import contextmanager

from docgraph.adapters.postgres.database import PostgresDatabase
from docgraph.adapters.postgres.pool import Pool
from docgraph.adapters.postgres.row_security import as_reader, bind_tenant
from docgraph.adapters.sql.server_rows import ApiKeyRows, IngestJobRows
from docgraph.model.access import ApiKey
from docgraph.model.ingest_job import IngestJob, JobOwner
from docgraph.ports.cancellation import begin_commit


class ServerTables:
    """The tables that servers share: read with a tenant's rights, written as the owner."""

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
        """For writing, and for looking up rows before the tenant is known."""
        with self._pool.connection() as connection:
            database = PostgresDatabase(connection)
            with database.transaction():
                yield database


class PostgresIngestJobQueue:
    def __init__(self, pool: Pool) -> None:
        self._tables = ServerTables(pool)

    def add(self, job: IngestJob) -> None:
        with self._tables.as_owner() as database:
            IngestJobRows(database.queries("server.sql")).add(job)
            begin_commit()

    def get(self, tenant: str, job_id: str) -> IngestJob | None:
        with self._tables.of_tenant(tenant) as database:
            return IngestJobRows(database.queries("server.sql")).get(tenant, job_id)

    def list_jobs(self, owner: JobOwner, last: int) -> tuple[IngestJob, ...]:
        with self._tables.of_tenant(owner.tenant) as database:
            return IngestJobRows(database.queries("server.sql")).list_jobs(owner, last)

    def pending(self, owner: JobOwner) -> int:
        with self._tables.of_tenant(owner.tenant) as database:
            return IngestJobRows(database.queries("server.sql")).pending(owner)

    def claim(self, worker: str, lease: float) -> IngestJob | None:
        with self._tables.as_owner() as database:
            return IngestJobRows(database.queries("server.sql")).claim(worker, lease)

    def renew(self, job_id: str, worker: str, lease: float, progress: str) -> bool:
        with self._tables.as_owner() as database:
            rows = IngestJobRows(database.queries("server.sql"))
            return rows.renew(job_id, worker, lease, progress)

    def finish(self, job_id: str, worker: str, *, result: str = "", error: str = "") -> bool:
        with self._tables.as_owner() as database:
            rows = IngestJobRows(database.queries("server.sql"))
            return rows.finish(job_id, worker, result, error)

    def release(self, job_id: str, worker: str, *, counted: bool = False) -> bool:
        with self._tables.as_owner() as database:
            rows = IngestJobRows(database.queries("server.sql"))
            return rows.release(job_id, worker, counted)


class PostgresApiKeyStore:
    def __init__(self, pool: Pool) -> None:
        self._tables = ServerTables(pool)

    def add(self, key: ApiKey, secret_hash: bytes) -> None:
        with self._tables.as_owner() as database:
            ApiKeyRows(database.queries("server.sql")).add(key, secret_hash)

    def find(self, key_id: str) -> tuple[ApiKey, bytes] | None:
        with self._tables.as_owner() as database:
            return ApiKeyRows(database.queries("server.sql")).find(key_id)

    def list_keys(self, tenant: str) -> tuple[ApiKey, ...]:
        with self._tables.of_tenant(tenant) as database:
            return ApiKeyRows(database.queries("server.sql")).list_keys(tenant)

    def remove(self, tenant: str, key_id: str) -> bool:
        with self._tables.as_owner() as database:
            return ApiKeyRows(database.queries("server.sql")).remove(tenant, key_id)
