"""One reader's session: it binds the filter once, and gives stages windows that need none."""

from collections.abc import Iterator
from functools import cached_property

from docgraph.adapters.sql.database import Queries, single_row
from docgraph.adapters.sql.graph import SqlGraph
from docgraph.adapters.sql.search import SqlSearch
from docgraph.adapters.sql.snapshots import contents
from docgraph.adapters.sql.tenant_cache import TenantCache
from docgraph.adapters.sql.texts import SqlTexts
from docgraph.adapters.sql.visibility import Visibility, embedder_of
from docgraph.model.embedding_state import EmbeddingState
from docgraph.model.plan import RetrievalPlan
from docgraph.model.question import EmbedderIdentity
from docgraph.model.snapshot import Scope
from docgraph.ports.indexes import VectorSearch


class SqlReads:
    """One reader's view, over one read transaction."""

    def __init__(
        self,
        sql: Queries,
        visible: Visibility,
        cache: TenantCache,
        vectors: VectorSearch | None = None,
    ) -> None:
        """`sql` is reads.sql, guarded by what is visible; `vectors` is as for `SqlSearch`."""
        self._sql = sql
        self._visible = visible
        self._cache = cache
        self._vectors = vectors
        self.graph = SqlGraph(sql)

    @property
    def scope(self) -> Scope:
        return self._visible.scope

    @property
    def embedder(self) -> EmbedderIdentity | None:
        return embedder_of(self._visible)

    @property
    def embeddings(self) -> EmbeddingState:
        return self.search.embeddings

    @cached_property
    def search(self) -> SqlSearch:
        return SqlSearch(self._sql, self._visible, self._cache, self._vectors)

    def texts(self, plan: RetrievalPlan) -> SqlTexts:
        return SqlTexts(self._sql, self._visible, plan, self.search.chunk_scores)

    def counts(self) -> dict[str, int]:
        nodes = self._sql.rows("count_nodes")
        (chunks,) = single_row(self._sql.row("count_chunks"))
        return {**{f"nodes.{kind}": count for kind, count in nodes}, "chunks": chunks}

    def versions(self) -> dict[str, str]:
        return dict(self._sql.rows("text_hashes"))

    def contents(self) -> Iterator[tuple[str, str]]:
        return contents(self._sql)
