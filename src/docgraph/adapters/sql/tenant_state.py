"""A tenant's versions and readers as of one transaction, kept until something changes."""

from collections.abc import Callable, Sequence

from docgraph.adapters.indexes.segment_cache import SegmentCache
from docgraph.adapters.sql.database import Queries
from docgraph.adapters.sql.tenant_cache import CachePart, TenantCache
from docgraph.adapters.sql.version_table import (
    Counted,
    VersionTable,
    Visibility,
    extend_rows,
    load_rows,
)
from docgraph.model.access import Principal
from docgraph.model.errors import StoreError
from docgraph.model.snapshot import SnapshotSelector

Resolve = Callable[[VersionTable, Principal, Sequence[SnapshotSelector]], Visibility]
_Rights = tuple[int, frozenset[str], frozenset[str], int, tuple[SnapshotSelector, ...]]


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


class TenantState:
    """One tenant's part of the cache, through `sql`, which is state.sql."""

    def __init__(self, cache: TenantCache, tenant: str) -> None:
        self._cache = cache
        self._tenant = tenant
        self._tables: CachePart[None, VersionTable] = CachePart(cache, tenant, "versions")
        self._visible: CachePart[_Rights, Visibility] = CachePart(cache, tenant, "visibility")

    def as_of(self, sql: Queries, counted: Counted) -> VersionTable:
        """As of the transaction behind `sql`, which counted so many changes."""
        with self._cache.loading(self._tenant):  # other tenants do not wait
            table = self._tables.get(None)
            if table is None or table.counted != counted:
                table = self._load(table, sql, counted)
                self._tables.put(None, table, table.nbytes)
        return table

    def _load(self, table: VersionTable | None, sql: Queries, counted: Counted) -> VersionTable:
        """Only what changed since, where the counts allow that; else everything."""
        numbers = [number for (number,) in sql.rows("segments", tenant=self._tenant)]
        if counted.changes < self._cache.revisions.get(self._tenant, 0):
            numbers = []  # a backup, perhaps: segments are numbered anew there
        self._cache.revisions[self._tenant] = counted.changes
        SegmentCache(self._cache, self._tenant).keep(numbers)
        self._drop("visibility", "views", "weights")
        if table and table.changes < counted.changes and table.access_changes == counted[1]:
            return extend_rows(table, sql, counted, self._tenant)
        self._drop("vectors_by_number")  # what is pruned may leave its number to another
        return load_rows(sql, counted, self._tenant)

    def _drop(self, *parts: str) -> None:
        self._cache.keep(self._tenant, dict.fromkeys(parts, lambda _: False))

    def visibility(
        self,
        table: VersionTable,
        principal: Principal,
        selectors: Sequence[SnapshotSelector],
        resolve: Resolve,
    ) -> Visibility:
        """All that decides what someone sees is in the key: the state of the store, groups,
        labels, clearance, and what was asked for; the tenant is the cache's."""
        rights = (principal.groups, principal.labels, principal.clearance)
        key = (table.changes, *rights, tuple(selectors))
        found = self._visible.get(key)
        if found is None:
            found = resolve(table, principal, selectors)
            self._visible.put(key, found, found.mask.nbytes)
        return found
