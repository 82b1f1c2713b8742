"""Reads: one reader's windows onto search, graph and texts."""

from collections.abc import Callable, Iterator
from functools import cached_property

from docgraph.adapters.sql.contents import contents
from docgraph.adapters.sql.database import Queries, only
from docgraph.adapters.sql.graph import SqlGraph
from docgraph.adapters.sql.search import SqlSearch
from docgraph.adapters.sql.segment_cache import Held, SegmentCache
from docgraph.adapters.sql.texts import SqlTexts
from docgraph.adapters.sql.visible import Visible, embedder_of
from docgraph.model.plan import RetrievalPlan
from docgraph.model.question import EmbedderIdentity
from docgraph.model.scope import Scope


class SqlReads:
    """One reader's view, over one read transaction."""

    def __init__(
        self,
        sql: Queries,
        visible: Visible,
        segments: SegmentCache,
        searching: Callable[[Queries, Visible, Held], SqlSearch] = SqlSearch,
    ) -> None:
        """`sql` is reads.sql, guarded by what is visible."""
        self._sql = sql
        self._visible = visible
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
        branches = sorted(self._visible.snapshots)
        numbers = [
            number for (number,) in self._sql.rows("segments_of_branches", branches=branches)
        ]
        return self._searching(self._sql, self._visible, self._segments.of(self._sql, numbers))

    def texts(self, plan: RetrievalPlan) -> SqlTexts:
        return SqlTexts(self._sql, self._visible, plan)

    def counts(self) -> dict[str, int]:
        nodes = self._sql.rows("count_nodes")
        (chunks,) = only(self._sql.row("count_chunks"))
        return {**{f"nodes.{kind}": count for kind, count in nodes}, "chunks": chunks}

    def versions(self) -> dict[str, str]:
        return dict(self._sql.rows("versions"))

    def contents(self) -> Iterator[tuple[str, str]]:
        return contents(self._sql)
