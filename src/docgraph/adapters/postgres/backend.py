"""The Postgres backend: one database, and one pool of connections for all that a process asks."""

from collections.abc import Iterator
from functools import cache, cached_property
from importlib import import_module
from typing import TYPE_CHECKING

from docgraph.adapters.postgres.address import redacted
from docgraph.model.errors import StoreError
from docgraph.ports.store import Backend, Finding, MigrationReport, StoreOptions

if TYPE_CHECKING:
    from docgraph.adapters.postgres.audit import PostgresAuditLog
    from docgraph.adapters.postgres.pool import Pool
    from docgraph.adapters.postgres.server_tables import PostgresApiKeyStore, PostgresIngestJobQueue
    from docgraph.adapters.postgres.store import PostgresStore


class PostgresStores:
    def __init__(self, address: str, options: StoreOptions) -> None:
        self._pool = _pool(address)
        self._options = options

    @cached_property
    def store(self) -> "PostgresStore":
        from docgraph.adapters.postgres.store import PostgresStore
        from docgraph.adapters.sql.index_outbox import ExternalIndex

        options = self._options
        return PostgresStore(
            self._pool,
            now=options.now,
            wait=options.wait,
            index=options.index,
            external=options.external
            and ExternalIndex(options.index, options.external(), options.clock),
        )

    @cached_property
    def audit(self) -> "PostgresAuditLog":
        from docgraph.adapters.postgres.audit import PostgresAuditLog

        return PostgresAuditLog(self._pool, now=self._options.now)

    @cached_property
    def api_keys(self) -> "PostgresApiKeyStore":
        from docgraph.adapters.postgres.server_tables import PostgresApiKeyStore

        return PostgresApiKeyStore(self._pool)

    @cached_property
    def jobs(self) -> "PostgresIngestJobQueue":
        from docgraph.adapters.postgres.server_tables import PostgresIngestJobQueue

        return PostgresIngestJobQueue(self._pool)


@cache
def _pool(address: str) -> "Pool":
    _require_psycopg()
    from docgraph.adapters.postgres.pool import Pool

    return Pool(address)


def _require_psycopg() -> None:
    """Before any module that imports it."""
    try:
        import_module("psycopg")
        import_module("psycopg_pool")
    except ImportError as error:
        raise StoreError(
            "a Postgres store needs psycopg; install it with: pip install 'docgraph[postgres]'"
        ) from error


def _check(address: str) -> Iterator[Finding]:
    try:
        _require_psycopg()
    except StoreError as error:
        yield Finding("psycopg", False, str(error))
        return
    from docgraph.adapters.postgres.doctor import check_server

    yield from check_server(address)


def _migrate(address: str, check: bool) -> MigrationReport:
    _require_psycopg()
    from docgraph.adapters.postgres.migrate import migrate, pending_migrations

    store = redacted(address)
    if check:
        return MigrationReport(
            store, pending=tuple(one.name for one in pending_migrations(address))
        )
    return MigrationReport(store, applied=tuple(one.name for one in migrate(address)))


POSTGRES = Backend(
    schemes=("postgresql", "postgres"),
    indexes=("packed", "pgvector", "pgvector-hnsw"),
    redact=redacted,
    open=PostgresStores,
    exists=lambda _: True,  # a database without tables is refused when it is opened
    check=_check,
    migrate=_migrate,
)
