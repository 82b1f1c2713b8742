"""What is kept in memory of a store, or of one tenant of it, until something changes."""

import threading
from collections.abc import Callable, Sequence
from typing import NamedTuple

from docgraph.adapters.indexes.chunk_vectors import VectorRows
from docgraph.adapters.indexes.segment_cache import SegmentCache
from docgraph.adapters.sql.database import Queries
from docgraph.adapters.sql.tenant_cache import View, Views
from docgraph.adapters.sql.version_table import VersionTable, Visibility, load_rows
from docgraph.model.access import Principal
from docgraph.model.snapshot import SnapshotSelector

Look = Callable[[VersionTable, Principal, Sequence[SnapshotSelector]], Visibility]


class TenantState(NamedTuple):
    """Of one count of changes: its rows, and vectors of passages as they were asked for."""

    rows: VersionTable
    vectors: VectorRows


class Known:
    def __init__(self, tenant: str | None = None) -> None:
        self.segments = SegmentCache()
        self._tenant = tenant
        self._views = Views()
        self._state: TenantState | None = None
        self._lock = threading.Lock()

    def as_of(self, sql: Queries, changes: int) -> TenantState:
        """As of the transaction behind `sql`, which is state.sql, and counted so many changes."""
        with self._lock:  # whoever asks for another tenant does not wait
            state = self._state
            if state is None or state.rows.changes != changes:
                if state is not None and changes < state.rows.changes:
                    self.segments = SegmentCache()  # a backup, perhaps: numbers begin anew there
                state = TenantState(load_rows(sql, changes, self._tenant), VectorRows())
                numbers = sql.rows("segments", tenant=self._tenant)
                self.segments.keep(number for (number,) in numbers)
                self._views.clear()
                self._state = state
            return state

    def view(
        self,
        state: TenantState,
        principal: Principal,
        wanted: Sequence[SnapshotSelector],
        look: Look,
    ) -> View:
        """`look` is asked when nobody with these rights asked for this before."""
        rows, vectors = state
        return self._views.of(
            rows.changes, principal, wanted, lambda: View(look(rows, principal, wanted), vectors)
        )
