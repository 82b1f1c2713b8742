"""VectorSearch over packed segments: exact products with every row that the filter shows."""

from collections.abc import Iterator
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from docgraph.adapters.indexes.segment_block import SegmentBlock, SmallInts
from docgraph.adapters.indexes.segments import Ints
from docgraph.adapters.indexes.visible_rows import PackedReader, ReaderView, VisibleRows
from docgraph.model.scoring import top_rows
from docgraph.ports.indexes import CHUNK_ROWS, ReadFilter, VectorHits
from docgraph.ports.search_reads import Level

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
    """As where a reader may see all of a segment: its rows need not be gathered."""
    if not len(selected) or not 0 <= selected[0] == selected[-1] + 1 - len(selected):
        return False
    return bool((selected[1:] > selected[:-1]).all())


class ScoredRows(NamedTuple):
    """Visible rows of one block or segment: products, places in its columns, nodes by place.

    `documents` are rows of the block by place, counted from `first`; a document is its own.
    """

    block: SegmentBlock
    level: Level
    scores: Scores
    places: Ints
    nodes: Ints
    documents: SmallInts | None = None
    first: int = 0

    def handles(self, selected: Ints) -> tuple[Ints, Ints, Ints]:
        """Rows, nodes and documents, as VectorHits has them."""
        places = self.places[selected]
        documents = places if self.documents is None else self.documents[places] + self.first
        nodes = self.nodes[places]
        rows = _chunk_rows(self.block, places) if self.level == "chunks" else nodes
        return rows, nodes, self.block.document_handles[documents]


class PackedVectors:
    exact = True

    def __init__(self, packed: PackedReader) -> None:
        self._packed = packed
        self._last: tuple[_Search, list[ScoredRows]] | None = None

    def search(
        self, vector: tuple[int, ...], reads: ReadFilter, *, level: Level, limit: int
    ) -> VectorHits:
        parts = self._scored((vector, reads, level))
        if not parts:
            return VectorHits(*(np.empty(0, dtype=np.int64),) * 4)
        scores = np.concatenate([part.scores for part in parts])
        best = top_rows(scores, limit)
        begins = [0, *accumulate(len(part.scores) for part in parts)]
        bounds = pairwise(np.searchsorted(best, begins))
        found = [
            part.handles(best[slice(*own)] - begin)
            for part, begin, own in zip(parts, begins, bounds, strict=False)
        ]
        rows, nodes, documents = map(np.concatenate, zip(*found, strict=True))
        return VectorHits(rows, nodes, documents, scores[best].astype(np.int64))

    def _scored(self, search: _Search) -> list[ScoredRows]:
        """Who asks once more, for further rows, does not wait for the products again."""
        if self._last is None or self._last[0] != search:
            vector, reads, level = search
            query = np.array(vector, dtype=np.float32)
            view = self._packed.view(reads)
            self._last = search, list(self._scan(view, level, query))
        return self._last[1]

    def _scan(self, view: ReaderView, level: Level, query: Scores) -> Iterator[ScoredRows]:
        """Blocks of another width hold what another model embedded once."""
        scan = {
            "documents": self._documents,
            "sections": self._sections,
            "chunks": self._chunks,
        }[level]
        for rows in view.blocks:
            if rows.block.width == len(query):
                yield from scan(rows, query)

    def _documents(self, rows: VisibleRows, query: Scores) -> Iterator[ScoredRows]:
        block, packed = rows.block, self._packed
        for span, vectors in packed.segments.document_vectors(packed.sql, block, rows.numbers):
            own = _within(rows.documents, span)
            scores = dot_products(vectors, query, own - span.start if span.start else own)
            yield ScoredRows(block, "documents", scores, own, block.document_handles)

    def _sections(self, rows: VisibleRows, query: Scores) -> Iterator[ScoredRows]:
        block = rows.block
        for number in rows.numbers:
            span = block.spans[number].documents
            found = self._packed.segments.sections(self._packed.sql, number)
            own = np.flatnonzero(rows.is_visible[span][found.rows])
            scores = dot_products(found.vectors, query, own)
            yield ScoredRows(block, "sections", scores, own, found.handles, found.rows, span.start)

    def _chunks(self, rows: VisibleRows, query: Scores) -> Iterator[ScoredRows]:
        """Segments follow each other in a block as their visible chunks do in `rows`."""
        block, packed = rows.block, self._packed
        scores = [np.empty(0, dtype=np.float32)]
        for number in rows.numbers:
            span = block.spans[number].chunks
            vectors = packed.segments.chunk_vectors(packed.sql, number, block)
            scores.append(dot_products(vectors, query, _within(rows.chunks, span) - span.start))
        nodes, documents = block.chunk_nodes, block.chunk_rows
        yield ScoredRows(block, "chunks", np.concatenate(scores), rows.chunks, nodes, documents)


def _within(rows: Ints, span: slice) -> Ints:
    begin, end = np.searchsorted(rows, (span.start, span.stop))
    return rows[begin:end]


def _chunk_rows(block: SegmentBlock, chunks: Ints) -> Ints:
    """A document's chunks stand side by side in their order; documents follow in theirs."""
    documents = block.chunk_rows[chunks]
    positions = chunks - np.searchsorted(block.chunk_rows, documents, side="left")
    found: Ints = block.document_ordinals[documents] * CHUNK_ROWS + positions
    return found
