"""The embedded store: `open_session` and `writes` are the ways in, the rest is upkeep.

A question imports what reads alone: this takes most of its time on the command line.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from docgraph.adapters.sql.reader_session import SqlReads
from docgraph.adapters.sql.snapshots import list_snapshots
from docgraph.adapters.sql.tenant_cache import DEFAULT_BYTES, SharedFolder, TenantCache
from docgraph.adapters.sql.tenant_state import TenantState, require_complete
from docgraph.adapters.sql.version_table import VersionTable
from docgraph.adapters.sql.visibility import Visibility, resolve_visibility
from docgraph.adapters.sqlite.connection import (
    connect,
    create_or_check,
    create_schema,
    empty_log,
    translate_errors,
)
from docgraph.adapters.sqlite.database import SqliteDatabase, SqliteQueries
from docgraph.adapters.sqlite.ingest_lock import IngestLock
from docgraph.adapters.sqlite.reader_pool import Reader, ReaderPool
from docgraph.model.access import Principal
from docgraph.model.question import EmbedderIdentity
from docgraph.model.running_ingest import Process, RunningIngest
from docgraph.model.snapshot import (
    ALL_REPOSITORIES,
    PruneResult,
    ReindexResult,
    SnapshotInfo,
    SnapshotSelector,
    VerifyReport,
)
from docgraph.ports.source_states import BranchKey

if TYPE_CHECKING:
    from docgraph.adapters.indexes.external import CheckedVectorIndex
    from docgraph.adapters.sql.access_store import SqlAccessPolicyStore
    from docgraph.adapters.sql.index_outbox import ExternalIndex
    from docgraph.adapters.sql.snapshot_writer import SqlSnapshotWriter


class SqliteStore:
    def __init__(
        self,
        path: Path,
        *,
        now: Callable[[], str],
        wait: float = 600,
        cache_bytes: int = DEFAULT_BYTES,
        external: ExternalIndex | None = None,
        process: Process | None = None,
        shared: SharedFolder | None = None,
    ) -> None:
        """`wait` is how many seconds a second ingest queues behind a first.

        `external` finds what is near in place of packed segments.
        """
        create_or_check(path)
        self._path = path
        self._now = now
        self._ingest_lock = IngestLock(path, process or Process(), now=now, wait=wait)
        self._readers = ReaderPool(path)
        self._cache = TenantCache(cache_bytes, shared)
        self._log_is_full = False
        self._external = external
        if external is not None:
            from docgraph.adapters.sql.index_outbox import IndexOutbox

            with self._connected() as connection:
                IndexOutbox(SqliteDatabase(connection), external).replay()

    @contextmanager
    def open_session(
        self, principal: Principal, selectors: Sequence[SnapshotSelector] = ALL_REPOSITORIES
    ) -> Iterator[SqlReads]:
        with self._reading(principal.tenant) as (reader, state, table):
            visible = state.visibility(table, principal, selectors, resolve_visibility)
            embedded = visible.embedded, visible.summarized
            reader.guard.bind(table, visible.mask, visible.snapshots, embedded)
            database = SqliteDatabase(reader.connection)
            if (external := self._external) is not None:
                state_sql = database.queries("state.sql")
                require_complete(state_sql, table, principal.tenant, external.name)
            sql = database.queries("reads.sql")
            try:
                yield SqlReads(sql, visible, self._cache, self._vectors(sql, visible))
            finally:
                sql.end()

    def _vectors(self, sql: SqliteQueries, visible: Visibility) -> CheckedVectorIndex | None:
        if self._external is None:
            return None
        from docgraph.adapters.indexes.external import CheckedVectorIndex, SqlCatalogRows

        return CheckedVectorIndex(self._external.index, SqlCatalogRows(sql, visible))

    @contextmanager
    def _reading(self, tenant: str) -> Iterator[tuple[Reader, TenantState, VersionTable]]:
        """One read transaction, and the tenant's versions as of it."""
        with self._readers.reading(self._readers.file_id()) as reader:
            state = TenantState(self._cache, tenant)
            yield reader, state, state.as_of(SqliteDatabase(reader.connection).queries("state.sql"))
        if self._log_is_full:
            with self._connected() as connection:
                self._empty_log(connection)

    def snapshots(self, principal: Principal) -> tuple[SnapshotInfo, ...]:
        with self._reading(principal.tenant) as (_, _, table):
            return list_snapshots(table, principal)

    def verify(self) -> VerifyReport:
        from docgraph.adapters.sql.index_changes import index_problems
        from docgraph.adapters.sql.verify import verify
        from docgraph.adapters.sqlite.file_checks import file_problems
        from docgraph.adapters.sqlite.server_tables import server_file_problems

        with self._readers.reading(self._readers.file_id()) as reader:
            database = SqliteDatabase(reader.connection)
            damage = chain(
                (message for _, message in file_problems(reader.connection, create_schema)),
                server_file_problems(Path(f"{self._path}.server")),
                index_problems(database, self._external),
            )
            return verify(database, reader.guard.bind, damage)

    def prune(self, tenant: str, repository: str, branch: str, keep: int) -> PruneResult:
        from docgraph.adapters.sql.prune import prune

        with self._writing(tenant) as connection:
            connection.execute("PRAGMA secure_delete = ON")
            database = SqliteDatabase(connection)
            found = prune(database, tenant, repository, branch, keep, self._external)
            connection.execute("VACUUM")
            self._empty_log(connection, wait=100)
            return found

    def _empty_log(self, connection: sqlite3.Connection, *, wait: int = 0) -> None:
        """What was removed is in the file until its log is written back over it, and what was
        changed is in the log alone. Readers delay that; then the end of the next question, or the
        next change, does it."""
        self._log_is_full = not empty_log(connection, wait=wait)

    @contextmanager
    def access_policy(self, tenant: str) -> Iterator[SqlAccessPolicyStore]:
        from docgraph.adapters.sql.access_store import SqlAccessPolicyStore
        from docgraph.adapters.sql.index_changes import IndexChanges

        with self._connected() as connection:
            database = SqliteDatabase(connection)
            index = IndexChanges(database, tenant, self._external)
            yield SqlAccessPolicyStore(database, tenant, index.reclassified)
            index.replay()
            if connection.total_changes:
                self._empty_log(connection)

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        with translate_errors(self._path):
            connection = connect(self._path)
            try:
                yield connection
            finally:
                connection.close()

    @contextmanager
    def open_writer(
        self, tenant: str, repository: str, branch: str, embedder: EmbedderIdentity
    ) -> Iterator[SqlSnapshotWriter]:
        from docgraph.adapters.sql.snapshot_writer import SqlSnapshotWriter
        from docgraph.adapters.sqlite.vectors import SqliteStoredVectors

        with self._writing(tenant) as connection:
            connection.execute("PRAGMA wal_autocheckpoint = 8000")
            connection.execute("PRAGMA cache_size = -16000")
            database = SqliteDatabase(connection)
            yield SqlSnapshotWriter(
                database,
                tenant,
                repository,
                branch,
                embedder,
                self._now,
                vectors=partial(SqliteStoredVectors, database),
                external=self._external,
            )
            self._empty_log(connection)

    def reindex(self) -> ReindexResult:
        from docgraph.adapters.sql.index_changes import (
            IndexChanges,
            index_tenants,
            require_external,
        )

        external = require_external(self._external)
        with self._writing("") as connection:
            database = SqliteDatabase(connection)
            count = 0
            for tenant in index_tenants(database):
                with database.transaction():
                    count += IndexChanges(database, tenant, external).rebuild()
        return ReindexResult(external.name, count)

    def unembedded_branches(self) -> tuple[BranchKey, ...]:
        from docgraph.adapters.sql.embedding_writer import unembedded_branches

        with self._connected() as connection:
            return unembedded_branches(SqliteDatabase(connection))

    def running_ingests(self, tenant: str) -> tuple[RunningIngest, ...]:
        found = self._ingest_lock.running(tenant)
        return () if found is None else (found,)

    @contextmanager
    def _writing(self, tenant: str) -> Iterator[sqlite3.Connection]:
        """Alone: a second writer queues until the first is done."""
        with self._ingest_lock.hold(tenant), self._connected() as connection:
            yield connection
