"""Reads: one reader's windows onto search, graph and texts."""

from collections.abc import Callable, Iterator
from functools import cached_property

from docgraph.adapters.indexes.packed_search import SqlSearch
from docgraph.adapters.indexes.segment_cache import SegmentCache
from docgraph.adapters.indexes.visible_rows import SeenRows
from docgraph.adapters.sql.database import Queries, single_row
from docgraph.adapters.sql.graph import SqlGraph
from docgraph.adapters.sql.snapshots import contents
from docgraph.adapters.sql.tenant_cache import View
from docgraph.adapters.sql.texts import SqlTexts
from docgraph.adapters.sql.version_table import Visibility, embedder_of
from docgraph.model.plan import RetrievalPlan
from docgraph.model.question import EmbedderIdentity
from docgraph.model.snapshot import Scope

Searching = Callable[[Queries, Visibility, SegmentCache, SeenRows], SqlSearch]


class SqlReads:
    """One reader's view, over one read transaction."""

    def __init__(
        self,
        sql: Queries,
        view: View,
        segments: SegmentCache,
        searching: Searching = SqlSearch,
    ) -> None:
        """`sql` is reads.sql, guarded by what is visible."""
        self._sql = sql
        self._view = view
        self._visible = view.visible
        self._segments = segments
        self._searching = searching
        self.graph = SqlGraph(sql)

    @property
    def scope(self) -> Scope:
        return self._visible.scope

    @property
    def embedder(self) -> EmbedderIdentity | None:
        return embedder_of(self._visible)

    @cached_property
    def search(self) -> SqlSearch:
        seen = self._view.seen(self._sql, self._segments)
        return self._searching(self._sql, self._visible, self._segments, seen)

    def texts(self, plan: RetrievalPlan) -> SqlTexts:
        return SqlTexts(self._sql, self._visible, plan)

    def counts(self) -> dict[str, int]:
        nodes = self._sql.rows("count_nodes")
        (chunks,) = single_row(self._sql.row("count_chunks"))
        return {**{f"nodes.{kind}": count for kind, count in nodes}, "chunks": chunks}

    def versions(self) -> dict[str, str]:
        return dict(self._sql.rows("versions"))

    def contents(self) -> Iterator[tuple[str, str]]:
        return contents(self._sql)
