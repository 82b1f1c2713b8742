"""The Postgres backend: one database, and a pool of connections for each kind of work, so that
questions, changes, authentication and the audit log do not wait for each other's."""

from collections.abc import Iterator
from functools import cache, cached_property
from importlib import import_module
from typing import TYPE_CHECKING

from docgraph.adapters.postgres.address import redacted
from docgraph.model.errors import StoreError
from docgraph.ports.store import Backend, Finding, MigrationReport, StoreOptions

if TYPE_CHECKING:
    from docgraph.adapters.indexes.shared_vectors import SharedVectorFolder
    from docgraph.adapters.postgres.audit import PostgresAuditLog
    from docgraph.adapters.postgres.pool import Pool
    from docgraph.adapters.postgres.server_tables import PostgresApiKeyStore, PostgresIngestJobQueue
    from docgraph.adapters.postgres.store import PostgresStore


class PostgresStores:
    def __init__(self, address: str, options: StoreOptions) -> None:
        self._address = address
        self._options = options
        _require_psycopg()

    @cached_property
    def store(self) -> "PostgresStore":
        from docgraph.adapters.postgres.store import PostgresStore
        from docgraph.adapters.sql.index_outbox import ExternalIndex

        options = self._options
        return PostgresStore(
            _pool(self._address, "questions"),
            writes=_pool(self._address, "writes"),
            access=_pool(self._address, "server"),
            process=options.process,
            shared=_shared_folder(options),
            now=options.now,
            wait=options.wait,
            index=options.index,
            external=options.external
            and ExternalIndex(options.index, options.external(), options.clock),
        )

    @cached_property
    def audit(self) -> "PostgresAuditLog":
        from docgraph.adapters.postgres.audit import PostgresAuditLog

        return PostgresAuditLog(_pool(self._address, "audit"), now=self._options.now)

    @cached_property
    def api_keys(self) -> "PostgresApiKeyStore":
        from docgraph.adapters.postgres.server_tables import PostgresApiKeyStore

        return PostgresApiKeyStore(_pool(self._address, "server"))

    @cached_property
    def jobs(self) -> "PostgresIngestJobQueue":
        from docgraph.adapters.postgres.server_tables import PostgresIngestJobQueue

        return PostgresIngestJobQueue(_pool(self._address, "server"))


SIZES = {"questions": 8, "writes": 8, "server": 4, "audit": 4}  # connections at most


@cache
def _shared_folder(options: StoreOptions) -> "SharedVectorFolder | None":
    if options.shared_vectors is None:
        return None
    from docgraph.adapters.indexes.shared_vectors import SharedVectorFolder

    return SharedVectorFolder(options.shared_vectors)


def _pool(address: str, use: str) -> "Pool":
    """Shared by all that use one address in a process; a connection is made when it is needed."""
    from docgraph.adapters.postgres.pool import Pool

    return Pool(address, size=SIZES[use])


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
