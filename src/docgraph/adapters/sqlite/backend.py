"""The SQLite backend: a store is a file, its audit log and server tables are files beside it."""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from docgraph.ports.store import Backend, Finding, MigrationReport, StoreOptions

if TYPE_CHECKING:
    from docgraph.adapters.indexes.shared_vectors import SharedVectorFolder
    from docgraph.adapters.sqlite.server_tables import (
        SqliteApiKeyStore,
        SqliteAuditLog,
        SqliteIngestJobQueue,
    )
    from docgraph.adapters.sqlite.store import SqliteStore


class SqliteStores:
    def __init__(self, path: str, options: StoreOptions) -> None:
        self._path = path
        self._options = options

    @cached_property
    def store(self) -> "SqliteStore":
        from docgraph.adapters.sql.index_outbox import ExternalIndex
        from docgraph.adapters.sqlite.store import SqliteStore

        path, options = Path(self._path), self._options
        external = options.external and ExternalIndex(
            options.index, options.external(), options.clock
        )
        return SqliteStore(
            path,
            now=options.now,
            wait=options.wait,
            external=external,
            process=options.process,
            shared=_shared_folder(options),
        )

    @cached_property
    def audit(self) -> "SqliteAuditLog":
        from docgraph.adapters.sqlite.server_tables import SqliteAuditLog

        return SqliteAuditLog(Path(f"{self._path}.audit"), now=self._options.now)

    @cached_property
    def api_keys(self) -> "SqliteApiKeyStore":
        from docgraph.adapters.sqlite.server_tables import SqliteApiKeyStore

        return SqliteApiKeyStore(Path(f"{self._path}.server"))

    @cached_property
    def jobs(self) -> "SqliteIngestJobQueue":
        from docgraph.adapters.sqlite.server_tables import SqliteIngestJobQueue

        path, options = Path(f"{self._path}.server"), self._options
        return SqliteIngestJobQueue(path, now=options.now, clock=options.clock)


def _shared_folder(options: StoreOptions) -> "SharedVectorFolder | None":
    if options.shared_vectors is None:
        return None
    from docgraph.adapters.indexes.shared_vectors import SharedVectorFolder

    return SharedVectorFolder(options.shared_vectors)


def _exists(path: str) -> bool:
    """A file of no bytes is none: a store has a header as soon as it is made."""
    file = Path(path)
    return file.is_file() and file.stat().st_size > 0


def _may_have_vectors(path: str) -> bool:
    from docgraph.adapters.sqlite.connection import may_have_vectors

    return may_have_vectors(Path(path))


def _check(_: str) -> Iterator[Finding]:
    """SQLite comes with Python, whose version `docgraph doctor` checks for every store."""
    return iter(())


def _migrate(path: str, _: bool) -> MigrationReport:
    """A file is never changed: one of another schema is refused, as for any command."""
    if _exists(path):
        from docgraph.adapters.sqlite.connection import create_or_check

        create_or_check(Path(path))
    return MigrationReport(path)


SQLITE = Backend(
    schemes=(),
    indexes=("packed",),
    redact=str,
    open=SqliteStores,
    exists=_exists,
    check=_check,
    migrate=_migrate,
    may_have_vectors=_may_have_vectors,
)
