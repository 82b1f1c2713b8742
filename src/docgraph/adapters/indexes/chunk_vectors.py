"""Vectors of single passages, kept by their numbers: those of candidates are asked for again."""

import threading
from typing import Any

import numpy as np
import numpy.typing as npt

from docgraph.adapters.indexes.segments import Ints
from docgraph.adapters.sql.database import Queries
from docgraph.model.scoring import distinct

# Exact dot products of packed vectors, row by row on one thread.


_FEW = 4  # one row in so many: below, it is quicker to gather them first
_AT_ONCE = 512  # rows that are gathered and widened together, so that they stay in a near cache
Scores = npt.NDArray[np.float32]


def dots(rows: npt.NDArray[Any], query: Scores, kept: npt.NDArray[np.integer[Any]]) -> Scores:
    """Of the kept rows; float32 counts these in ones."""
    if rows.dtype == np.float32 and len(kept) * _FEW > len(rows):
        scores: Scores = np.vecdot(rows, query)[kept]
        return scores
    scores = np.empty(len(kept), dtype=np.float32)
    for at in range(0, len(kept), _AT_ONCE):
        some = rows.take(kept[at : at + _AT_ONCE], axis=0).astype(np.float32, copy=False)
        np.vecdot(some, query, out=scores[at : at + _AT_ONCE])
    return scores


MOST = 131_072  # vectors that are kept; memory is taken as they come
LARGEST = 2**24  # number up to which they are: each takes a slot's four bytes, kept or not

Rows = npt.NDArray[np.int16]


class Kept:
    """Slots are only ever added, so that whoever holds this may read without a lock."""

    def __init__(self, width: int, most: int) -> None:
        self.rows: Rows = np.empty((most, width), dtype=np.int16)
        self.slots = np.full(1024, -1, dtype=np.int32)
        self.taken = 0

    def slots_of(self, numbers: Ints) -> npt.NDArray[np.int32]:
        """-1: not kept."""
        known = self.slots
        slots = np.full(len(numbers), -1, dtype=np.int32)
        inside = numbers < len(known)
        slots[inside] = known[numbers[inside]]
        return slots

    def add(self, numbers: Ints, rows: Rows) -> None:
        largest = int(numbers.max())
        if largest >= len(self.slots):
            wider = np.full(max(largest + 1, 2 * len(self.slots)), -1, dtype=np.int32)
            wider[: len(self.slots)] = self.slots
            self.slots = wider
        end = self.taken + len(numbers)
        self.rows[self.taken : end] = rows
        self.slots[numbers] = np.arange(self.taken, end, dtype=np.int32)
        self.taken = end


class VectorRows:
    """Of one state of a store: what is pruned may leave its number to another."""

    def __init__(self) -> None:
        self._kept: dict[int, Kept] = {}
        self._lock = threading.Lock()

    def dots(self, sql: Queries, numbers: Ints, query: Scores) -> Scores:
        """Of the vectors so numbered, exactly; `sql` belongs to a reader who may see these."""
        width = len(query)
        kept = self._kept.get(width) or self._kept.setdefault(width, Kept(width, MOST))
        slots = kept.slots_of(numbers)
        lacking = np.flatnonzero(slots < 0)
        scores = dots(kept.rows, query, slots)
        if len(lacking):
            wanted, read = _read(sql, distinct(numbers[lacking]), width)
            self._keep(wanted[wanted < LARGEST], read[wanted < LARGEST], width)
            scores[lacking] = dots(read, query, np.searchsorted(wanted, numbers[lacking]))
        return scores

    def _keep(self, numbers: Ints, rows: Rows, width: int) -> None:
        """Where there is no room for these, all others are let go of."""
        with self._lock:
            kept = self._kept[width]
            numbers, rows = numbers[:MOST], rows[:MOST]
            fresh = kept.slots_of(numbers) < 0
            if kept.taken + int(fresh.sum()) > MOST:
                kept = self._kept[width] = Kept(width, MOST)
                fresh[:] = True
            if fresh.any():
                kept.add(numbers[fresh], rows[fresh])


def _read(sql: Queries, numbers: Ints, width: int) -> tuple[Ints, Rows]:
    rows = sorted(sql.rows("passage_vectors", vectors=numbers.tolist()))
    vectors = np.frombuffer(b"".join(vector for _, vector in rows), dtype="<i2")
    found = np.array([number for number, _ in rows], dtype=np.int64)
    assert np.array_equal(found, numbers), "a passage that is seen has its vector"
    return found, vectors.reshape(-1, width)
