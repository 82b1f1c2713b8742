"""VectorSearch over vectors in memory: exact products with every row that the filter shows."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from docgraph.adapters.indexes.segments import Ints
from docgraph.adapters.indexes.version_vectors import CachedVectors, VersionVectors
from docgraph.adapters.indexes.visible_rows import PackedReader, ReaderView
from docgraph.adapters.sql.database import DamagedRow, Queries
from docgraph.adapters.sql.tenant_cache import TenantCache
from docgraph.adapters.sql.visibility import Visibility
from docgraph.model.scoring import distinct, top_rows, turns
from docgraph.ports.indexes import CHUNK_ROWS, ReadFilter, VectorHits
from docgraph.ports.search_reads import Level

CANDIDATES_SHARE = 8  # vectors of candidates take one part in so many of the cache
_FEW = 3  # one row in so many: below, it is quicker to gather them first
_AT_ONCE = 256  # rows that are gathered and widened together, so that they stay in a near cache
Scores = npt.NDArray[np.float32]
_Search = tuple[tuple[int, ...], ReadFilter, Level]


def dot_products(
    rows: npt.NDArray[Any], query: Scores, selected: npt.NDArray[np.integer[Any]]
) -> Scores:
    """Of the selected rows, exact: float32 counts these in ones."""
    if rows.dtype == np.float32 and len(selected) * _FEW > len(rows):
        scores: Scores = np.vecdot(rows, query)[selected]
        return scores
    side_by_side = rows[selected[0] : selected[-1] + 1] if _is_range(selected) else None
    scores = np.empty(len(selected), dtype=np.float32)
    for at in range(0, len(selected), _AT_ONCE):
        some = slice(at, at + _AT_ONCE)
        part = rows.take(selected[some], axis=0) if side_by_side is None else side_by_side[some]
        np.vecdot(part.astype(np.float32, copy=False), query, out=scores[some])
    return scores


def _is_range(selected: npt.NDArray[np.integer[Any]]) -> bool:
    """As where a reader may see all rows: they need not be gathered."""
    if not len(selected) or not 0 <= selected[0] == selected[-1] + 1 - len(selected):
        return False
    return bool((selected[1:] > selected[:-1]).all())


class ScoredRows(NamedTuple):
    """Products, and the columns of VectorHits."""

    scores: Scores
    rows: Ints
    nodes: Ints
    documents: Ints

    def hits(self, selected: Ints) -> VectorHits:
        columns = (self.rows, self.nodes, self.documents, self.scores.astype(np.int64))
        return VectorHits(*(column[selected] for column in columns))


class ReaderVectors:
    """Vectors of one reader's documents, nodes and chunks, read when they are first needed."""

    def __init__(self, sql: Queries, visible: Visibility, cache: TenantCache) -> None:
        name = visible.rows.history
        self._sql = sql
        self._documents = CachedVectors(cache, name, "documents", dtype=np.float32)
        self._summaries = CachedVectors(cache, name, "summaries", dtype=np.float32)
        self._nodes = CachedVectors(cache, name, "nodes")
        self._chunks = CachedVectors(cache, name, "chunks")
        self._candidates = CachedVectors(cache, name, "candidates", share=CANDIDATES_SHARE)

    def documents(self, versions: Ints, handles: Ints, width: int) -> VersionVectors:
        known = dict(zip(versions.tolist(), handles.tolist(), strict=True))
        return self._documents.of(
            versions,
            width,
            lambda some: self._sql.rows("document_vectors", handles=[known[one] for one in some]),
        )

    def summaries(self, versions: Ints, width: int) -> VersionVectors:
        return self._summaries.of(
            versions, width, lambda some: self._sql.rows("summary_vectors", versions=some)
        )

    def nodes(self, versions: Ints, width: int) -> VersionVectors:
        return self._nodes.of(
            versions, width, lambda some: self._sql.rows("node_vectors", versions=some)
        )

    def chunks(self, versions: Ints, width: int, *, candidates: bool) -> VersionVectors:
        """Those of `candidates` are bounded in memory, and of few documents."""
        kept = self._candidates if candidates else self._chunks
        return kept.of(versions, width, lambda some: self._sql.rows("chunk_vectors", versions=some))

    def chunk_products(self, chunks: Ints, query: Scores, *, candidates: bool) -> Scores:
        """Of chunks by their rows, all of them embedded."""
        ordinals = chunks // CHUNK_ROWS
        found = self.chunks(_turned(ordinals), len(query), candidates=candidates)
        positions = chunks % CHUNK_ROWS
        if not (positions < found.counts[ordinals]).all():
            raise DamagedRow("the vector of a chunk is missing")
        return dot_products(found.vectors[: found.taken], query, found.begins[ordinals] + positions)


def _turned(ordinals: Ints) -> Ints:
    """Each once; equal ones mostly stand side by side."""
    return distinct(ordinals[turns(ordinals)])


class PackedVectors:
    """Of documents that are completely embedded, in the reader's snapshot."""

    exact = True

    def __init__(self, packed: PackedReader, visible: Visibility, stored: ReaderVectors) -> None:
        self._packed = packed
        self._visible = visible
        self._stored = stored
        self._last: tuple[_Search, ScoredRows] | None = None

    def search(
        self, vector: tuple[int, ...], reads: ReadFilter, *, level: Level, limit: int
    ) -> VectorHits:
        scored = self._scored((vector, reads, level))
        return scored.hits(top_rows(scored.scores, limit))

    def _scored(self, search: _Search) -> ScoredRows:
        """Who asks once more, for further rows, does not wait for the products again."""
        if self._last is None or self._last[0] != search:
            vector, reads, level = search
            query = np.array(vector, dtype=np.float32)
            scan = {
                "documents": self._documents,
                "sections": self._sections,
                "chunks": self._chunks,
            }[level]
            self._last = search, scan(self._packed.view(reads), query)
        return self._last[1]

    def _embedded(self, view: ReaderView) -> tuple[Ints, Ints]:
        """Versions and handles of documents."""
        selected = np.flatnonzero(self._visible.embedded[view.documents])
        return view.documents[selected], view.document_handles[selected]

    def _documents(self, view: ReaderView, query: Scores) -> ScoredRows:
        versions, handles = self._embedded(view)
        found = self._stored.documents(versions, handles, len(query))
        scores = dot_products(found.vectors[: found.taken], query, single_rows(found, versions))
        return ScoredRows(scores, handles, handles, handles)

    def _sections(self, view: ReaderView, query: Scores) -> ScoredRows:
        versions, handles = self._embedded(view)
        found = self._stored.nodes(versions, len(query))
        rows, counts = found.rows_of(versions)
        scores = dot_products(found.vectors[: found.taken], query, rows)
        nodes = found.numbers[rows]
        return ScoredRows(scores, nodes, nodes, np.repeat(handles, counts))

    def _chunks(self, view: ReaderView, query: Scores) -> ScoredRows:
        columns = view.chunk_rows, view.by_node.rows, view.by_document.rows
        embedded = self._visible.embedded[view.chunk_rows // CHUNK_ROWS]
        if not embedded.all():
            rows, nodes, documents = (column[embedded] for column in columns)
            columns = rows, nodes, documents
        scores = self._stored.chunk_products(columns[0], query, candidates=False)
        return ScoredRows(scores, *columns)


class SummaryVectors:
    """Of documents of which the summary alone is embedded, as rows beside those of an index."""

    def __init__(self, packed: PackedReader, visible: Visibility, stored: ReaderVectors) -> None:
        self._packed = packed
        self._visible = visible
        self._stored = stored

    def search(
        self, vector: tuple[int, ...], reads: ReadFilter, *, level: Level, limit: int
    ) -> VectorHits:
        view = self._packed.view(reads)
        selected = np.flatnonzero(self._visible.summarized[view.documents])
        if level == "chunks":
            selected = selected[:0]
        versions, handles = view.documents[selected], view.document_handles[selected]
        query = np.array(vector, dtype=np.float32)
        found = self._stored.summaries(versions, len(query))
        scores = dot_products(found.vectors[: found.taken], query, single_rows(found, versions))
        return ScoredRows(scores, handles, handles, handles).hits(top_rows(scores, limit))


def single_rows(found: VersionVectors, versions: Ints) -> Ints:
    """Of versions that have one row each."""
    rows, counts = found.rows_of(versions)
    if not (counts == 1).all():
        raise DamagedRow("the vector of a document is missing")
    return rows
