"""SearchReads of one reader: candidates by vectors, words and names, and their scores."""

from functools import cached_property
from typing import cast

import numpy as np

from docgraph.adapters.indexes.packed_lexical import PackedLexical
from docgraph.adapters.indexes.packed_vectors import PackedVectors, ReaderVectors, SummaryVectors
from docgraph.adapters.indexes.segments import Ints
from docgraph.adapters.indexes.version_vectors import stacked_vectors
from docgraph.adapters.indexes.visible_rows import PackedReader, ReaderView
from docgraph.adapters.sql.database import DamagedRow, Queries
from docgraph.adapters.sql.tenant_cache import CachePart, TenantCache
from docgraph.adapters.sql.visibility import Visibility
from docgraph.model.embedding_state import EmbeddingState
from docgraph.model.scoring import Bm25, RowGroups, top_groups
from docgraph.model.snapshot import SnapshotName
from docgraph.model.tokenize import tokenize
from docgraph.ports.indexes import CHUNK_ROWS, VectorHits, VectorSearch
from docgraph.ports.search_reads import Level

MOST_NAMES = 200_000
_NAME_BYTES = 300  # of a node's id and kind, about
_ROWS_PER_OWNER = 4  # that are asked for, to begin with, where an owner has several


class NodeNames:
    """Ids and kinds by handle. A handle is never given twice, so these stay."""

    def __init__(self) -> None:
        self.ids: dict[int, str] = {}
        self.kinds: dict[int, str] = {}

    @property
    def nbytes(self) -> int:
        return _NAME_BYTES * len(self.ids)


class SqlSearch:
    """SearchReads for every store and index: handles become ids here, rows become owners."""

    def __init__(
        self, sql: Queries, visible: Visibility, cache: TenantCache, vectors: VectorSearch | None
    ) -> None:
        """`vectors` is the index to search in place of the packed one."""
        reads = visible.reads
        history = visible.rows.history
        packed = PackedReader(sql, visible.rows, cache)
        self._sql = sql
        self._visible = visible
        self._reads = reads
        self._rows = visible.rows
        self._packed = packed
        self._stored = stored = ReaderVectors(sql, visible, cache)
        self._vectors = vectors or PackedVectors(packed, visible, stored)
        self._summaries = SummaryVectors(packed, visible, stored)
        self._lexical = PackedLexical(packed, cache, history)
        self._kept_names: CachePart[None, NodeNames] = CachePart(cache, history, "names")
        self._handles: dict[str, int] = {}

    @property
    def exact(self) -> bool:
        return self._vectors.exact

    @cached_property
    def embeddings(self) -> EmbeddingState:
        return embedding_state(self._visible, self._packed.view(self._reads))

    def nearest(
        self, vector: tuple[int, ...], *, over: Level, roll_up: bool, top: int
    ) -> tuple[tuple[str, int], ...]:
        """More rows are asked for until `top` owners are there, or no further row is."""
        is_owner = over == "documents" or (over == "sections" and not roll_up)
        limit = top if is_owner else top * _ROWS_PER_OWNER
        while True:
            hits = self._hits(vector, over, limit)
            owners, dots = hits.node, hits.dot
            if not is_owner:
                groups = RowGroups(hits.document if roll_up else hits.node)
                owners, dots = top_groups(groups, hits.dot, top)
            if len(owners) >= top or len(hits.row) < limit:
                named = zip(self._names(owners), dots.tolist(), strict=True)
                return tuple(sorted(named, key=lambda item: (-item[1], item[0]))[:top])
            limit *= _ROWS_PER_OWNER

    def _hits(self, vector: tuple[int, ...], level: Level, limit: int) -> VectorHits:
        """Of the index, and of summaries, which no index has."""
        found = self._vectors.search(vector, self._reads, level=level, limit=limit)
        if not self._visible.summarized.any():
            return found
        return found.joined(self._summaries.search(vector, self._reads, level=level, limit=limit))

    def node_similarities(self, vector: tuple[int, ...], ids: tuple[str, ...]) -> dict[str, int]:
        query = np.array(vector, dtype=np.int64)
        rows = self._sql.rows("vectors_of_nodes", ids=ids)
        if self._visible.summarized.any():
            rows += self._sql.rows("summary_vectors_of_nodes", ids=ids)
        vectors = stacked_vectors([blob for _, blob in rows], len(query)).astype(np.int64)
        products = (vectors @ query).tolist()
        return dict(sorted(zip((node for node, _ in rows), products, strict=True)))

    def best_chunk_similarities(
        self, vector: tuple[int, ...], ids: tuple[str, ...], *, roll_up: bool
    ) -> dict[str, int]:
        handles = self._handles_of(ids)
        numbers = np.array([*handles.values()], dtype=np.int64)
        view = self._packed.view(self._reads)
        positions, sizes = view.chunks_of(numbers, roll_up=roll_up)
        chunks = view.chunk_rows[positions]
        embedded = self._visible.embedded[chunks // CHUNK_ROWS]
        if not embedded.all():
            owner = np.repeat(np.arange(len(sizes)), sizes)[embedded]
            chunks, sizes = chunks[embedded], np.bincount(owner, minlength=len(sizes))
        owners = [node for node, size in zip(handles, sizes.tolist(), strict=True) if size]
        if not owners:
            return {}
        query = np.array(vector, dtype=np.float32)
        scores = self._stored.chunk_products(chunks, query, candidates=True)
        begins = np.concatenate(([0], np.cumsum(sizes[sizes > 0])[:-1]))
        best = np.maximum.reduceat(scores, begins)
        return dict(zip(owners, best.astype(np.int64).tolist(), strict=True))

    def _handles_of(self, ids: tuple[str, ...]) -> dict[str, int]:
        """Most were named a moment ago."""
        if missing := [node for node in ids if node not in self._handles]:
            self._handles.update(self._sql.rows("handles_of_nodes", ids=missing))
        return {node: self._handles[node] for node in ids if node in self._handles}

    def lexical(
        self, terms: tuple[str, ...], *, roll_up: bool, pool: int, bm25: Bm25
    ) -> tuple[tuple[str, float], ...]:
        """All owners with the last score are named before ids break the tie."""
        owners, scores = self._lexical.top(
            terms, self._reads, roll_up=roll_up, limit=pool, bm25=bm25
        )
        ranked = sorted(zip((-scores).tolist(), self._names(owners), strict=True))
        return tuple([(node, -score) for score, node in ranked[:pool]])

    def _names(self, owners: Ints) -> list[str]:
        known, handles = self._kept_names.get(None) or NodeNames(), owners.tolist()
        names = list(map(known.ids.get, handles))
        if None in names:
            missing = [handle for handle, name in zip(handles, names, strict=True) if name is None]
            rows = self._sql.rows("names_of_handles", handles=missing)
            self._keep_names(known, rows)
            read = {handle: name for handle, name, _ in rows}
            names = [name or read.get(handle) for handle, name in zip(handles, names, strict=True)]
            if None in names:
                raise DamagedRow("a node that a segment names is missing")
        found = cast("list[str]", names)
        self._handles.update(zip(found, handles, strict=True))
        return found

    def _keep_names(self, known: NodeNames, rows: list[tuple[int, str, str]]) -> None:
        if len(known.ids) + len(rows) > MOST_NAMES:
            known = NodeNames()
        known.kinds.update((handle, kind) for handle, _, kind in rows)
        known.ids.update((handle, name) for handle, name, _ in rows)
        self._kept_names.put(None, known, known.nbytes)

    def chunk_scores(
        self, vector: tuple[int, ...], text: str, versions: Ints
    ) -> tuple[dict[int, int], dict[int, float]]:
        """By row, of the chunks of these documents: the products with a vector of those that are
        embedded, and the BM25 scores of the others, over visible chunks alone."""
        view = self._packed.view(self._reads)
        chosen = np.zeros(len(self._visible.mask), dtype=np.bool_)
        chosen[versions] = True
        positions = np.flatnonzero(chosen[view.chunk_rows // CHUNK_ROWS])
        chunks = view.chunk_rows[positions]
        embedded = self._visible.embedded[chunks // CHUNK_ROWS] & bool(vector)
        query = np.array(vector, dtype=np.float32)
        near = chunks[embedded]
        products = (
            self._stored.chunk_products(near, query, candidates=True) if len(near) else query[:0]
        )
        words = np.zeros(len(view.chunk_rows), dtype=np.float64)
        if not embedded.all():
            for found in self._lexical.lists(view, sorted(set(tokenize(text))), Bm25()):
                words[found.positions] += found.weights
        others = ~embedded
        return (
            dict(zip(near.tolist(), products.astype(np.int64).tolist(), strict=True)),
            dict(zip(chunks[others].tolist(), words[positions[others]].tolist(), strict=True)),
        )

    def definers(self, names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
        return self._defining([f"{kind}:{name}" for name in names for kind in ("code", "doc")])

    def documents_titled(self, titles: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
        return self._defining([f"title:{title}" for title in titles])

    def _defining(self, keys: list[str]) -> tuple[tuple[str, str], ...]:
        branches = [branch for branch, _ in self._reads.snapshots]
        rows = self._sql.rows("definers", keys=keys, branches=branches)
        return tuple((name, node) for name, node in rows)

    def kinds(self, ids: tuple[str, ...]) -> dict[str, str]:
        """Most were named a moment ago, and their kinds with them."""
        known = (self._kept_names.get(None) or NodeNames()).kinds
        found = {node: known.get(self._handles.get(node, -1)) for node in ids}
        if missing := [node for node, kind in found.items() if kind is None]:
            found |= dict.fromkeys(missing) | dict(self._sql.rows("kinds_of_nodes", ids=missing))
        return {node: kind for node, kind in sorted(found.items()) if kind is not None}

    def ingestions(self, ids: tuple[str, ...]) -> dict[str, SnapshotName]:
        rows = self._sql.rows("versions_of_nodes", ids=ids)
        return {node: self._rows.ingestion(version) for node, version in sorted(rows)}


def embedding_state(visible: Visibility, view: ReaderView) -> EmbeddingState:
    embedded, summarized = visible.embedded, visible.summarized
    completed = int(np.count_nonzero(embedded))
    return EmbeddingState(
        documents=int(np.count_nonzero(visible.mask)),
        summarized=completed + int(np.count_nonzero(summarized)),
        embedded=completed,
        chunks=len(view.chunk_rows),
        embedded_chunks=int(np.count_nonzero(embedded[view.chunk_rows // CHUNK_ROWS])),
    )
