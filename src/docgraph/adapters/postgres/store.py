"""The store on Postgres: `open_session` and `writes` are the ways in, the rest is upkeep."""

import json
import logging
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain

import numpy as np
import numpy.typing as npt
from psycopg import Error
from psycopg.errors import LockNotAvailable, QueryCanceled

from docgraph.adapters.indexes.external import CheckedVectorIndex, SqlCatalogRows
from docgraph.adapters.postgres.address import redacted
from docgraph.adapters.postgres.database import PostgresDatabase, PostgresQueries
from docgraph.adapters.postgres.migrate import require_current
from docgraph.adapters.postgres.pgvector import PgVectorIndex, fits_index
from docgraph.adapters.postgres.pool import Pool
from docgraph.adapters.postgres.reclassify import Reclassifier
from docgraph.adapters.postgres.row_security import as_reader, guard
from docgraph.adapters.postgres.vectors import PostgresStoredVectors
from docgraph.adapters.sql.access_store import SqlAccessPolicyStore
from docgraph.adapters.sql.embedding_writer import unembedded_branches
from docgraph.adapters.sql.index_changes import (
    IndexChanges,
    index_problems,
    index_tenants,
    require_external,
)
from docgraph.adapters.sql.index_outbox import ExternalIndex, IndexOutbox
from docgraph.adapters.sql.prune import prune
from docgraph.adapters.sql.reader_session import SqlReads
from docgraph.adapters.sql.server_rows import server_problems
from docgraph.adapters.sql.snapshot_writer import SqlSnapshotWriter
from docgraph.adapters.sql.snapshots import list_snapshots
from docgraph.adapters.sql.tenant_cache import DEFAULT_BYTES, SharedFolder, TenantCache
from docgraph.adapters.sql.tenant_state import TenantState, require_complete
from docgraph.adapters.sql.verify import verify
from docgraph.adapters.sql.version_table import VersionTable
from docgraph.adapters.sql.visibility import Visibility, resolve_visibility
from docgraph.model.access import Principal
from docgraph.model.errors import StoreBusy
from docgraph.model.question import EmbedderIdentity
from docgraph.model.running_ingest import Process, RunningIngest, waiting_notice
from docgraph.model.snapshot import (
    ALL_REPOSITORIES,
    PruneResult,
    ReindexResult,
    SnapshotInfo,
    SnapshotSelector,
    VerifyReport,
)
from docgraph.ports.cancellation import on_cancel
from docgraph.ports.indexes import VectorSearch
from docgraph.ports.source_states import BranchKey

# What can wait: statistics, indexes, tidying up. It never makes a command fail that is done.


_LOG = logging.getLogger("docgraph.postgres")


class Maintenance:
    """Of one connection, outside of any transaction. What is put off, the next ingest tries."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database
        self._sql = database.queries("table_maintenance.sql")

    def analyze(self) -> None:
        with self._patience("statistics"):
            if self._sql.row("find_grown_table") is not None:
                self._sql.run("analyze")

    def vacuum(self) -> None:
        with self._patience("tidying up"):
            self._sql.run("vacuum")

    def index(self, dimensions: int) -> None:
        if not fits_index(dimensions):
            _LOG.info("%d dimensions are too many for HNSW: every vector is compared", dimensions)
            return
        with self._patience("the HNSW indexes"):
            PgVectorIndex(self._database.connection, exact=False).create(dimensions)

    @contextmanager
    def _patience(self, what: str) -> Iterator[None]:
        """However long it takes, unless somebody stands in its way."""
        self._sql.run("disable_timeouts")
        try:
            yield
        except (LockNotAvailable, QueryCanceled) as error:
            _LOG.warning("%s: put off until the next ingest: %s", what, error.diag.message_primary)
        finally:
            if not self._database.connection.closed:
                self._sql.run("reset_lock_timeout")
                self._sql.run("reset_statement_timeout")


_HELD = {
    "lock_tenant_shared": "a prune has been under way",
    "lock_tenant": "an ingest of another branch has been under way",
}


_STORE_LOG = logging.getLogger("docgraph.store")
_ANY_MODE = ("ShareLock", "ExclusiveLock")
_AWAITED = {"lock_tenant_shared": ("ExclusiveLock",), "lock_tenant": _ANY_MODE}
_APPLICATION_NAME = re.compile(r"([^|]*)\|(\d+)\|([^|]*)\|(.*)")


class PostgresStore:
    def __init__(
        self,
        pool: Pool,
        *,
        now: Callable[[], str],
        wait: float = 600,
        index: str = "packed",
        cache_bytes: int = DEFAULT_BYTES,
        external: ExternalIndex | None = None,
        writes: Pool | None = None,
        access: Pool | None = None,
        process: Process | None = None,
        shared: SharedFolder | None = None,
    ) -> None:
        """`pool` is for questions; changes have the connections of `writes`, and access rules and
        people, whom a login looks up, those of `access`, where these are given.

        `wait` is how many seconds a second ingest of a branch queues behind a first.

        `index` finds what is near: packed, pgvector, or pgvector-hnsw, which may miss rows;
        `external` does so in its place.
        """
        self._pool = pool
        self._writes = writes or pool
        self._access = access or pool
        self._process = process or Process()
        self._now = now
        self._wait = wait
        self._index = index
        self._cache = TenantCache(cache_bytes, shared)
        self._external = external
        with pool.connection() as connection:
            require_current(connection, pool.dsn)
            if external is not None:
                IndexOutbox(PostgresDatabase(connection), external).replay()

    @contextmanager
    def open_session(
        self, principal: Principal, selectors: Sequence[SnapshotSelector] = ALL_REPOSITORIES
    ) -> Iterator[SqlReads]:
        with self._reading(principal.tenant) as (database, state, table):
            visible = state.visibility(table, principal, selectors, resolve_visibility)
            guard(database, table, sorted(visible.reads.classes), visible.snapshots)
            sql = database.queries("reads.sql")
            yield SqlReads(sql, visible, self._cache, self._vectors(database, sql, visible))

    def _vectors(
        self, database: PostgresDatabase, sql: PostgresQueries, visible: Visibility
    ) -> VectorSearch | None:
        """None is the packed index."""
        if self._external is not None:
            return CheckedVectorIndex(self._external.index, SqlCatalogRows(sql, visible))
        if self._index == "packed":
            return None
        snapshots = visible.rows.snapshots
        widths = {snapshots[one].embedder.dimensions for one in visible.reads.snapshots}
        exact = self._index == "pgvector" or not all(map(fits_index, widths))
        return PgVectorIndex(database.connection, exact=exact)

    def snapshots(self, principal: Principal) -> tuple[SnapshotInfo, ...]:
        with self._reading(principal.tenant) as (_, _, table):
            return list_snapshots(table, principal)

    @contextmanager
    def _reading(self, tenant: str) -> Iterator[tuple[PostgresDatabase, TenantState, VersionTable]]:
        """One read transaction; nothing changes while it is open.

        The login reads what visibility is computed from; the rest, a role that owns nothing.
        """
        with self._pool.connection() as connection:
            database = PostgresDatabase(connection)
            with database.reading():
                state = TenantState(self._cache, tenant)
                state_sql = database.queries("state.sql")
                table = state.as_of(state_sql)
                if self._external is not None:
                    require_complete(state_sql, table, tenant, self._external.name)
                as_reader(database)
                yield database, state, table

    def verify(self) -> VerifyReport:
        """As the login, who owns the tables: everything is looked at."""
        with self._pool.connection() as connection:
            database = PostgresDatabase(connection)
            with database.reading():

                def see_all(
                    rows: VersionTable,
                    _mask: npt.NDArray[np.bool_],
                    snapshots: Mapping[int, int],
                    _embedded: object,
                ) -> None:
                    guard(database, rows, rows.rules, snapshots)

                damage = chain(
                    _astray(database),
                    server_problems(database.queries("server.sql")),
                    index_problems(database, self._external),
                )
                return verify(database, see_all, damage)

    def prune(self, tenant: str, repository: str, branch: str, keep: int) -> PruneResult:
        """No ingest of the tenant is under way meanwhile."""
        with self._locked("lock_tenant", tenant, repository, branch) as database:
            found = prune(database, tenant, repository, branch, keep, self._external)
        with self._writes.connection() as connection:
            Maintenance(PostgresDatabase(connection)).vacuum()
        return found

    @contextmanager
    def access_policy(self, tenant: str) -> Iterator[SqlAccessPolicyStore]:
        with self._access.connection() as connection:
            database = PostgresDatabase(connection)
            rows, index = Reclassifier(database), IndexChanges(database, tenant, self._external)

            def reclassified(branch: int, classes: Mapping[int, int]) -> None:
                rows.moved(branch, classes)
                index.reclassified(branch, classes)

            yield SqlAccessPolicyStore(database, tenant, reclassified)
            index.replay()

    def reindex(self) -> ReindexResult:
        external = require_external(self._external)
        with self._writes.connection() as connection:
            tenants = index_tenants(PostgresDatabase(connection))
        count = 0
        for tenant in tenants:
            with self._locked("lock_tenant", tenant, "", "") as database, database.transaction():
                count += IndexChanges(database, tenant, external).rebuild()
        return ReindexResult(external.name, count)

    @contextmanager
    def open_writer(
        self, tenant: str, repository: str, branch: str, embedder: EmbedderIdentity
    ) -> Iterator[SqlSnapshotWriter]:
        with self._locked("lock_tenant_shared", tenant, repository, branch) as database:
            yield SqlSnapshotWriter(
                database,
                tenant,
                repository,
                branch,
                embedder,
                self._now,
                vectors=partial(PostgresStoredVectors, database),
                on_reclassified=Reclassifier(database).moved,
                by_class=True,
                external=self._external,
            )
            Maintenance(database).analyze()
            if self._index == "pgvector-hnsw":  # an index is made sooner when the rows are there
                Maintenance(database).index(embedder.dimensions)

    def unembedded_branches(self) -> tuple[BranchKey, ...]:
        with self._access.connection() as connection:
            return unembedded_branches(PostgresDatabase(connection))

    def running_ingests(self, tenant: str) -> tuple[RunningIngest, ...]:
        with self._access.connection() as connection:
            return _holders(PostgresDatabase(connection), f"docgraph tenant {tenant}", _ANY_MODE)

    def _say_who_is_awaited(
        self, database: PostgresDatabase, lock: str, modes: Sequence[str]
    ) -> None:
        for holder in _holders(database, lock, modes)[:1]:
            _STORE_LOG.warning("%s", waiting_notice(holder, self._wait))

    @contextmanager
    def _locked(
        self, how: str, tenant: str, repository: str, branch: str
    ) -> Iterator[PostgresDatabase]:
        """Alone on the branch: a second writer queues until the first is done."""
        with self._writes.connection() as connection:
            database = PostgresDatabase(connection)
            locks = database.queries("session.sql")
            locks.row("set_lock_timeout", milliseconds=str(max(1, round(self._wait * 1000))))
            held = f"another ingest or prune has held {repository} {branch}"
            try:
                try:
                    name = json.dumps([tenant, repository, branch])
                    with on_cancel(connection.cancel_safe):
                        self._say_who_is_awaited(database, f"docgraph branch {name}", _ANY_MODE)
                        locks.row("lock_branch", branch=name)
                        held = _HELD[how]
                        tenant_lock = f"docgraph tenant {tenant}"
                        self._say_who_is_awaited(database, tenant_lock, _AWAITED[how])
                        locks.row(how, tenant=tenant)
                    ingest = RunningIngest.of(self._process, self._now())
                    locks.row("set_application_name", name=_application_name(ingest))
                except LockNotAvailable as error:
                    raise StoreBusy(
                        f"{redacted(self._pool.dsn)}: {held} for {self._wait:g} s; "
                        "wait for it to end, then try again"
                    ) from error
                finally:
                    locks.run("reset_lock_timeout")
                    locks.run("reset_statement_timeout")
                yield database
            finally:
                try:
                    database.durable(True)
                    locks.run("reset_application_name")
                    locks.row("unlock_all")
                except Error:
                    connection.close()  # what is closed holds nothing


def _holders(
    database: PostgresDatabase, lock: str, modes: Sequence[str]
) -> tuple[RunningIngest, ...]:
    """A session that says nothing of itself is one that began a moment ago."""
    locks = database.queries("session.sql")
    names = [str(row[0]) for row in locks.rows("lock_holders", lock=lock, modes=list(modes))]
    found = (_APPLICATION_NAME.fullmatch(name) for name in names)
    return tuple(RunningIngest(one[1], int(one[2]), one[4], one[3]) for one in found if one)


def _application_name(ingest: RunningIngest) -> str:
    """Postgres keeps 63 bytes of it: the host comes last, and may be cut."""
    name = f"{ingest.command[:16]}|{ingest.pid}|{ingest.since}|{ingest.host}"
    return name.encode("ascii", "replace")[:63].decode()


def _astray(database: PostgresDatabase) -> Iterator[str]:
    """Rows whose class is not their document's, and segments of several classes."""
    for what, count in database.queries("reclassify.sql").rows("misclassified_rows"):
        if count:
            yield f"{count} {what} have another access class than their document"
