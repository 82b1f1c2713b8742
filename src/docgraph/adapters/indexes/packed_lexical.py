"""LexicalIndex over packed segments: BM25 with statistics of visible chunks alone."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from docgraph.adapters.indexes.segment_cache import NOWHERE, Counts
from docgraph.adapters.indexes.segments import Ints
from docgraph.adapters.indexes.visible_rows import PackedReader, ReaderView, VisibleRows
from docgraph.adapters.sql.database import DamagedRow
from docgraph.adapters.sql.tenant_cache import CachePart, TenantCache
from docgraph.model.scoring import Bm25, Positions, Weights, score_owners, top_with_ties
from docgraph.ports.indexes import ReadFilter

_Key = tuple[int, float, float, str]  # view, parameters, term


class PostingList(NamedTuple):
    """Positions of the visible chunks that hold a term, and what it adds to each one's score."""

    positions: Positions
    weights: Weights


class PackedLexical:
    def __init__(self, packed: PackedReader, cache: TenantCache, history: str) -> None:
        self._packed = packed
        self._lists: CachePart[_Key, PostingList] = CachePart(cache, history, "weights")

    def top(
        self, terms: tuple[str, ...], reads: ReadFilter, *, roll_up: bool, limit: int, bm25: Bm25
    ) -> tuple[Ints, Weights]:
        view = self._packed.view(reads)
        owners = view.by_document if roll_up else view.by_node
        return top_with_ties(*score_owners(self.lists(view, terms, bm25), owners), limit)

    def lists(self, view: ReaderView, terms: Sequence[str], bm25: Bm25) -> list[PostingList]:
        """Cached by all that they depend on: the view, the term and BM25's parameters."""
        keys = {term: (view.number, bm25.k1, bm25.b, term) for term in terms}
        lists = {term: found for term, key in keys.items() if (found := self._lists.get(key))}
        if missing := [term for term in keys if term not in lists]:
            counts = self._packed.segments.postings(self._packed.sql, view.numbers, missing)
            for term in missing:
                fresh = lists[term] = weigh(term, counts, view, bm25)
                self._lists.put(keys[term], fresh, fresh.positions.nbytes + fresh.weights.nbytes)
        return [lists[term] for term in terms]


def weigh(
    term: str, counts: Mapping[tuple[int, str], Counts], view: ReaderView, bm25: Bm25
) -> PostingList:
    columns = [NOWHERE, *(_visible(rows, term, counts) for rows in view.blocks)]
    positions, frequencies = (np.concatenate(column) for column in zip(*columns, strict=True))
    return PostingList(positions, bm25.weights(positions, frequencies, view.lengths))


def _visible(rows: VisibleRows, term: str, counts: Mapping[tuple[int, str], Counts]) -> Counts:
    """Of one block; hidden chunks have no position, and fall out here."""
    found = []
    for number, span in rows.block.spans.items():
        chunks, frequencies = counts.get((number, term), NOWHERE)
        size = span.chunks.stop - span.chunks.start
        if len(chunks) and not (chunks.min() >= 0 and chunks.max() < size):
            raise DamagedRow("the postings of a term name chunks that are not in their segment")
        found.append((chunks + np.int32(span.chunks.start), frequencies))
    chunks, frequencies = (np.concatenate(column) for column in zip(*found, strict=True))
    positions = rows.positions[chunks]
    visible = positions >= 0
    return positions[visible], frequencies[visible]
