"""What one reader sees of the blocks: which rows, whose they are, and where passages stand."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from docgraph.adapters.indexes.chunk_vectors import VectorRows
from docgraph.adapters.indexes.segment_cache import Block, Places
from docgraph.adapters.indexes.segments import Ints
from docgraph.adapters.sql.version_table import Visibility
from docgraph.model.scoring import Bm25, ChunkLengths, Positions, RowGroups, Weights
from docgraph.ports.search_reads import Level

MOST_STANDING = 2_000_000  # places of terms that are kept for one reader
_ALONE = 16  # what a term takes that is nowhere


@dataclass(frozen=True, slots=True, eq=False)
class SeenIn:
    """Of one block: the documents' rows that are seen, and each passage's place (-1: unseen).

    `numbers` are the segments that the reader asks, which may not be all in the block.
    """

    block: Block
    numbers: tuple[int, ...]
    documents: Ints
    sees: npt.NDArray[np.bool_]
    places: Places
    passages: Ints


class ScannedRows(NamedTuple):
    """Vectors of one block or segment, and which of them are seen."""

    vectors: npt.NDArray[Any]
    kept: Ints


class PostingList(NamedTuple):
    """Positions of the visible chunks that hold a term, and what it adds to each one's score."""

    positions: Positions
    weights: Weights


class Scan(NamedTuple):
    """All rows that one kind of search goes over, and whose they are."""

    rows: tuple[ScannedRows, ...]
    owners: RowGroups


RowsOf = Callable[[SeenIn, Level, bool], Iterable[tuple[ScannedRows, Ints]]]


class SeenRows:
    """Of one reader in one scope. Statistics hang on nothing else, so they are counted once."""

    def __init__(
        self,
        visible: Visibility,
        numbers: Sequence[int],
        blocks: Sequence[Block],
        vectors: VectorRows,
    ) -> None:
        """`numbers` are the segments that the reader asks; blocks may hold others.

        `vectors` are those of the state in which this is seen.
        """
        self.vectors = vectors
        self.numbers = tuple(numbers)
        self.blocks: list[SeenIn] = []
        self._scans: dict[tuple[Level, bool, int], Scan] = {}
        self._terms: dict[tuple[str, Bm25], PostingList] = {}
        self._standing = 0
        wanted = frozenset(numbers)
        begin = 0
        for block in blocks:
            found = _seen_in(visible, wanted, block, begin)
            begin += len(found.passages)
            self.blocks.append(found)

    @property
    def size(self) -> int:
        """What it costs to keep, in rows."""
        return self._standing + sum(len(one.places) + len(one.sees) for one in self.blocks)

    def scan(self, over: Level, roll_up: bool, width: int, rows_of: RowsOf) -> Scan:
        """Blocks of another width hold what another model embedded once."""
        found = self._scans.get((over, roll_up, width))
        if found is None:
            fitting = (seen for seen in self.blocks if seen.block.width == width)
            parts = [part for seen in fitting for part in rows_of(seen, over, roll_up)]
            owners = RowGroups(_all([whose for _, whose in parts]))
            found = Scan(tuple(rows for rows, _ in parts), owners)
            self._scans[over, roll_up, width] = found
        return found

    @cached_property
    def by_document(self) -> RowGroups:
        return self._owners(lambda b: b.document_handles[b.passage_rows])

    @cached_property
    def by_node(self) -> RowGroups:
        return self._owners(lambda b: b.passage_nodes)

    @cached_property
    def lengths(self) -> ChunkLengths:
        return ChunkLengths.of(
            _all([one.block.passage_lengths[one.passages] for one in self.blocks])
        )

    def terms(
        self,
        wanted: Sequence[str],
        bm25: Bm25,
        look: Callable[[list[str]], list[PostingList]],
    ) -> list[PostingList]:
        """Whatever was asked for lately need not be looked up again."""
        known = self._terms
        found = {term: known[term, bm25] for term in wanted if (term, bm25) in known}
        if missing := [term for term in wanted if term not in found]:
            fresh = dict(zip(missing, look(missing), strict=True))
            if self._standing > MOST_STANDING:
                known = self._terms = {}
                self._standing = 0
            known.update({(term, bm25): one for term, one in (found | fresh).items()})
            self._standing += sum(len(one.positions) + _ALONE for one in fresh.values())
            found |= fresh
        return [found[term] for term in wanted]

    def passages_of(self, handles: Ints, *, roll_up: bool) -> tuple[Ints, Ints]:
        """Numbers of the vectors of these owners' passages, and of how many passages each."""
        order, whose = self._document_order if roll_up else self._node_order
        begins = np.searchsorted(whose, handles, side="left")
        sizes = np.searchsorted(whose, handles, side="right") - begins
        offsets = np.repeat(begins - (np.cumsum(sizes) - sizes), sizes)
        return self._vectors[order[offsets + np.arange(len(offsets))]], sizes

    @cached_property
    def _document_order(self) -> tuple[Ints, Ints]:
        return _in_order(self.by_document.rows)

    @cached_property
    def _node_order(self) -> tuple[Ints, Ints]:
        return _in_order(self.by_node.rows)

    @cached_property
    def _vectors(self) -> Ints:
        return _all([one.block.passage_vectors[one.passages] for one in self.blocks])

    def _owners(self, owners: Callable[[Block], Ints]) -> RowGroups:
        return RowGroups(_all([owners(one.block)[one.passages] for one in self.blocks]))


def _seen_in(visible: Visibility, wanted: frozenset[int], block: Block, begin: int) -> SeenIn:
    sees = np.zeros(len(block.document_ordinals), dtype=np.bool_)
    numbers = tuple(number for number in block.spans if number in wanted)
    for number in numbers:
        span = block.spans[number].documents
        sees[span] = visible.of(block.document_ordinals[span])
    seen = sees[block.passage_rows]
    places = np.full(len(seen), -1, dtype=np.int32)
    passages = np.flatnonzero(seen)
    places[passages] = np.arange(begin, begin + len(passages), dtype=np.int32)
    return SeenIn(block, numbers, np.flatnonzero(sees), sees, places, passages)


def _in_order(owners: Ints) -> tuple[Ints, Ints]:
    """Places by owner, and the owners in that order."""
    order = np.argsort(owners, kind="stable")
    return order, owners[order]


def _all(parts: Sequence[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    return np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)
