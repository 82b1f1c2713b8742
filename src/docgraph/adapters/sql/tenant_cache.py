"""Views: what readers see, kept by their rights until something changes."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from docgraph.adapters.indexes.chunk_vectors import VectorRows
from docgraph.adapters.indexes.segment_cache import SegmentCache
from docgraph.adapters.indexes.visible_rows import SeenRows
from docgraph.adapters.sql.database import Queries
from docgraph.adapters.sql.version_table import Visibility
from docgraph.model.access import Principal
from docgraph.model.snapshot import SnapshotSelector

MOST_VIEWS = 64
MOST_ROWS = 8_000_000  # documents and passages, of all views together

Key = tuple[int, str, frozenset[str], frozenset[str], int, tuple[SnapshotSelector, ...]]


@dataclass(slots=True)
class View:
    """One reader's, or that of several with the same rights."""

    visible: Visibility
    vectors: VectorRows
    _seen: SeenRows | None = None
    _generation: int = -1

    def seen(self, sql: Queries, segments: SegmentCache) -> SeenRows:
        """Looked up once; again when blocks of segments were joined meanwhile."""
        found = self._seen
        if found is None or self._generation != segments.generation:
            branches = sorted(self.visible.snapshots)
            rows = sql.rows("segments_of_branches", branches=branches)
            numbers = [number for (number,) in rows]
            blocks, generation = segments.blocks(sql, numbers)
            found = SeenRows(self.visible, numbers, blocks, self.vectors)
            self._seen, self._generation = found, generation
        return found

    @property
    def size(self) -> int:
        return 0 if self._seen is None else self._seen.size


class Views:
    """All that decides what someone sees is in the key: the state of the store, tenant, groups,
    labels, clearance, and what was asked for."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Key, View] = OrderedDict()
        self._lock = threading.Lock()

    def of(
        self,
        changes: int,
        principal: Principal,
        wanted: Sequence[SnapshotSelector],
        look: Callable[[], View],
    ) -> View:
        key = (
            changes,
            principal.tenant,
            principal.groups,
            principal.labels,
            principal.clearance,
            tuple(wanted),
        )
        with self._lock:
            found = self._kept.get(key)
        if found is None:
            found = look()
        with self._lock:
            self._kept[key] = found
            self._kept.move_to_end(key)
            self._let_go()
        return found

    def _let_go(self) -> None:
        rows = sum(view.size for view in self._kept.values())
        while len(self._kept) > 1 and (len(self._kept) > MOST_VIEWS or rows > MOST_ROWS):
            _, gone = self._kept.popitem(last=False)
            rows -= gone.size

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()
