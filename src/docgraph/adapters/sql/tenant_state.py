"""A tenant's versions and readers as of one transaction, kept until something changes."""

from collections.abc import Callable, Sequence

from docgraph.adapters.indexes.segment_cache import SegmentCache
from docgraph.adapters.sql.database import Queries
from docgraph.adapters.sql.tenant_cache import CachePart, History, TenantCache
from docgraph.adapters.sql.version_table import Counted, VersionTable, extend_rows, load_rows
from docgraph.adapters.sql.visibility import Visibility
from docgraph.model.access import Principal
from docgraph.model.errors import StoreError
from docgraph.model.snapshot import SnapshotSelector

Resolve = Callable[[VersionTable, Principal, Sequence[SnapshotSelector]], Visibility]
_Rights = tuple[str, frozenset[str], frozenset[str], int, tuple[SnapshotSelector, ...]]


def require_complete(sql: Queries, table: VersionTable, tenant: str, index: str) -> None:
    """Refuses an external index that lacks rows of the tenant. `sql` is state.sql."""
    is_published = any(branch.newest for branch in table.branches)
    if is_published and sql.row("is_complete", tenant=tenant, index=index) is None:
        raise StoreError(incomplete_index(index))


def incomplete_index(name: str) -> str:
    return (
        f"the vector index {name!r} lacks changes of this store, which were made without it; "
        "rebuild it with: docgraph reindex"
    )


def read_counted(sql: Queries, tenant: str) -> Counted:
    """As of the transaction behind `sql`, which is state.sql."""
    row = sql.row("change_counts", tenant=tenant)
    return Counted() if row is None else Counted(*row)


class TenantState:
    """One tenant's part of the cache, through `sql`, which is state.sql."""

    def __init__(self, cache: TenantCache, tenant: str) -> None:
        self._cache = cache
        self._tenant = tenant

    def as_of(self, sql: Queries) -> VersionTable:
        """As of the transaction behind `sql`."""
        counted = read_counted(sql, self._tenant)
        with self._cache.loading(self._tenant):  # other tenants do not wait
            history = self._cache.history(self._tenant, counted)
            tables: CachePart[None, VersionTable] = CachePart(self._cache, history.name, "versions")
            table = tables.get(None)
            if table is not None and table.counted.token == counted.token:
                return table
            if counted.token != history.newest.token:  # others have committed since it began
                return load_rows(sql, counted, history.name, self._tenant)
            table = self._load(table, sql, history)
            tables.put(None, table, table.nbytes)
        return table

    def _load(self, table: VersionTable | None, sql: Queries, history: History) -> VersionTable:
        """Only what changed since, where the counts allow that; else everything."""
        counted = history.newest
        numbers = [number for (number,) in sql.rows("segments", tenant=self._tenant)]
        SegmentCache(self._cache, history.name).keep(numbers)
        self._drop(history, "visibility", "views", "weights")
        if (
            table is not None
            and table.counted.access_changes == counted.access_changes
            and counted.follows(table.counted.token)
        ):
            return extend_rows(table, sql, counted, self._tenant)
        return load_rows(sql, counted, history.name, self._tenant)

    def _drop(self, history: History, *parts: str) -> None:
        self._cache.keep(history.name, dict.fromkeys(parts, lambda _: False))

    def visibility(
        self,
        table: VersionTable,
        principal: Principal,
        selectors: Sequence[SnapshotSelector],
        resolve: Resolve,
    ) -> Visibility:
        """All that decides what someone sees is in the key: the state of the store, groups,
        labels, clearance, and what was asked for; the tenant is in the history's name."""
        kept: CachePart[_Rights, Visibility] = CachePart(self._cache, table.history, "visibility")
        rights = (principal.groups, principal.labels, principal.clearance)
        key = (table.counted.token, *rights, tuple(selectors))
        found = kept.get(key)
        if found is None:
            found = resolve(table, principal, selectors)
            kept.put(key, found, 3 * found.mask.nbytes)
        return found
