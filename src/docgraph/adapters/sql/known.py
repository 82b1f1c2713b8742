"""What is kept in memory of a store, or of one tenant of it, until something changes."""

import threading
from collections.abc import Callable, Sequence

from docgraph.adapters.sql.database import Queries
from docgraph.adapters.sql.segment_cache import SegmentCache
from docgraph.adapters.sql.views import View, Views
from docgraph.adapters.sql.visible import Rows, Visible, load_rows
from docgraph.model.access import Principal
from docgraph.model.scope import Wanted

Look = Callable[[Rows, Principal, Sequence[Wanted]], Visible]


class Known:
    def __init__(self, tenant: str | None = None) -> None:
        self.segments = SegmentCache()
        self._tenant = tenant
        self._views = Views()
        self._rows: Rows | None = None
        self._lock = threading.Lock()

    def as_of(self, sql: Queries, changes: int) -> Rows:
        """As of the transaction behind `sql`, which is rows.sql, and counted so many changes."""
        with self._lock:  # whoever asks for another tenant does not wait
            if self._rows is None or self._rows.changes != changes:
                self._rows = load_rows(sql, changes, self._tenant)
                numbers = sql.rows("segments", tenant=self._tenant)
                self.segments.keep(number for (number,) in numbers)
                self._views.clear()
            return self._rows

    def view(self, rows: Rows, principal: Principal, wanted: Sequence[Wanted], look: Look) -> View:
        """`look` is asked when nobody with these rights asked for this before."""
        return self._views.of(
            rows.changes, principal, wanted, lambda: look(rows, principal, wanted)
        )
