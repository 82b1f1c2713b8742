"""What one filter shows of the packed segments: which rows, whose they are, where chunks stand."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np
import numpy.typing as npt

from docgraph.adapters.indexes.segment_block import SegmentBlock, SmallInts
from docgraph.adapters.indexes.segment_cache import SegmentCache
from docgraph.adapters.indexes.segments import Ints
from docgraph.adapters.sql.database import DamagedRow, Queries
from docgraph.adapters.sql.tenant_cache import CachePart, TenantCache
from docgraph.adapters.sql.version_table import VersionTable
from docgraph.model.scoring import ChunkLengths, RowGroups
from docgraph.ports.indexes import CHUNK_ROWS, ReadFilter

_VIEW_NUMBERS = count()


@dataclass(frozen=True, slots=True, eq=False)
class VisibleRows:
    """Of one block: the documents' rows that are visible, and each chunk's position (-1: hidden).

    `numbers` are the segments that the filter asks for, which may not be all in the block.
    """

    block: SegmentBlock
    numbers: tuple[int, ...]
    documents: Ints
    is_visible: npt.NDArray[np.bool_]
    positions: SmallInts
    chunks: Ints

    @property
    def nbytes(self) -> int:
        columns = (self.documents, self.is_visible, self.positions, self.chunks)
        return sum(column.nbytes for column in columns)


class ReaderView:
    """One filter's rows. Statistics hang on nothing else, so they are counted once.

    `grown` is called with the bytes that the view takes, whenever it has grown.
    """

    def __init__(
        self, numbers: Sequence[int], blocks: Sequence[VisibleRows], grown: Callable[[int], None]
    ) -> None:
        self.number = next(_VIEW_NUMBERS)
        self.numbers = tuple(numbers)
        self.blocks = tuple(blocks)
        self.nbytes = sum(rows.nbytes for rows in blocks)
        self._grown = grown

    @cached_property
    def by_document(self) -> RowGroups:
        return self._owners(lambda block: block.document_handles[block.chunk_rows])

    @cached_property
    def by_node(self) -> RowGroups:
        return self._owners(lambda block: block.chunk_nodes)

    @cached_property
    def lengths(self) -> ChunkLengths:
        found = ChunkLengths.of(self._columns(lambda block: block.chunk_lengths))
        self._add(found.lengths)
        return found

    def chunks_of(self, handles: Ints, *, roll_up: bool) -> tuple[Ints, Ints]:
        """Positions of these owners' chunks, and of how many chunks each."""
        order, owners = self._document_order if roll_up else self._node_order
        begins = np.searchsorted(owners, handles, side="left")
        sizes = np.searchsorted(owners, handles, side="right") - begins
        offsets = np.repeat(begins - (np.cumsum(sizes) - sizes), sizes)
        return order[offsets + np.arange(len(offsets))], sizes

    @cached_property
    def documents(self) -> Ints:
        """Ordinals of the versions."""
        return self._of_documents(lambda block: block.document_ordinals)

    @cached_property
    def document_handles(self) -> Ints:
        return self._of_documents(lambda block: block.document_handles)

    @cached_property
    def chunk_rows(self) -> Ints:
        """A chunk's row is the ordinal of its version times CHUNK_ROWS, plus its position in it."""
        found: Ints = self._columns(_chunk_rows)
        self._add(found)
        return found

    @cached_property
    def _document_order(self) -> tuple[Ints, Ints]:
        return self._in_order(self.by_document.rows)

    @cached_property
    def _node_order(self) -> tuple[Ints, Ints]:
        return self._in_order(self.by_node.rows)

    def _owners(self, owners: Callable[[SegmentBlock], Ints]) -> RowGroups:
        found = RowGroups(self._columns(owners))
        self._add(found)
        return found

    def _of_documents(self, column: Callable[[SegmentBlock], Ints]) -> Ints:
        parts = [column(rows.block)[rows.documents] for rows in self.blocks]
        found = np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)
        self._add(found)
        return found

    def _columns(self, column: Callable[[SegmentBlock], npt.NDArray[Any]]) -> npt.NDArray[Any]:
        """Of visible chunks, by position."""
        parts = [column(rows.block)[rows.chunks] for rows in self.blocks]
        return np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)

    def _in_order(self, owners: Ints) -> tuple[Ints, Ints]:
        """Positions by owner, and the owners in that order."""
        order = np.argsort(owners, kind="stable")
        found = order, owners[order]
        self._add(*found)
        return found

    def _add(self, *found: npt.NDArray[Any] | RowGroups) -> None:
        self.nbytes += sum(one.nbytes for one in found)
        self._grown(self.nbytes)


class PackedReader:
    """Packed segments as one session reads them: what each filter shows, made once for all."""

    def __init__(
        self,
        sql: Queries,
        table: VersionTable,
        cache: TenantCache,
    ) -> None:
        """`sql` is reads.sql, guarded by what is visible; `table` is of the same transaction."""
        self.sql = sql
        self.segments = SegmentCache(cache, table.history)
        self._table = table
        self._last: tuple[ReadFilter, ReaderView] | None = None
        self._views: CachePart[ReadFilter, ReaderView] = CachePart(cache, table.history, "views")

    def view(self, reads: ReadFilter) -> ReaderView:
        """A session keeps the one it has; others may find it in the cache."""
        if self._last is None or self._last[0] != reads:
            self._last = reads, self._view(reads)
        return self._last[1]

    def _view(self, reads: ReadFilter) -> ReaderView:
        """Used before its blocks are, so that it goes from the cache before they do."""
        found = self._views.get(reads)
        if found is None or not self._is_current(found):
            rows = self.sql.rows("segments_of_branches", branches=[b for b, _ in reads.snapshots])
            numbers = [number for (number,) in rows]
            blocks = self.segments.blocks(self.sql, numbers)
            visible = visible_rows(self._table.mask(reads), frozenset(numbers), blocks)
            found = ReaderView(numbers, visible, lambda size: self._views.resize(reads, size))
            self._views.put(reads, found, found.nbytes)
            self._is_current(found)
        return found

    def _is_current(self, view: ReaderView) -> bool:
        """Blocks of segments may have been joined meanwhile."""
        current = [self.segments.block(rows.block.group) is rows.block for rows in view.blocks]
        return all(current)


def _chunk_rows(block: SegmentBlock) -> Ints:
    """A document's chunks stand side by side, in their order; documents follow in theirs."""
    firsts = np.searchsorted(block.chunk_rows, block.chunk_rows, side="left")
    positions = np.arange(len(block.chunk_rows)) - firsts
    found: Ints = block.document_ordinals[block.chunk_rows] * CHUNK_ROWS + positions
    return found


def visible_rows(
    mask: npt.NDArray[np.bool_], selected: frozenset[int], blocks: Sequence[SegmentBlock]
) -> list[VisibleRows]:
    found: list[VisibleRows] = []
    begin = 0
    for block in blocks:
        is_visible = np.zeros(len(block.document_ordinals), dtype=np.bool_)
        numbers = tuple(number for number in block.spans if number in selected)
        for number in numbers:
            span = block.spans[number].documents
            ordinals = block.document_ordinals[span]
            if len(ordinals) and not (ordinals.min() >= 0 and ordinals.max() < len(mask)):
                raise DamagedRow("a segment has documents that are not stored")
            is_visible[span] = mask[ordinals]
        chunks = np.flatnonzero(is_visible[block.chunk_rows])
        positions = np.full(len(block.chunk_rows), -1, dtype=np.int32)
        positions[chunks] = np.arange(begin, begin + len(chunks), dtype=np.int32)
        begin += len(chunks)
        documents = np.flatnonzero(is_visible)
        found.append(VisibleRows(block, numbers, documents, is_visible, positions, chunks))
    return found
