"""Vectors of single chunks, cached by number: those of candidates are needed again."""

import threading

import numpy as np
import numpy.typing as npt

from docgraph.adapters.indexes.packed_vectors import Scores, dot_products
from docgraph.adapters.indexes.segments import Ints, stacked_vectors
from docgraph.adapters.sql.database import DamagedRow, Queries
from docgraph.adapters.sql.tenant_cache import CachePart, TenantCache
from docgraph.model.scoring import distinct

MOST = 131_072  # vectors that are kept; memory is taken as they come
SHARE = 8  # one part in so many of the cache, at most
LARGEST = 2**24  # number up to which they are: each takes a slot's four bytes, kept or not

Rows = npt.NDArray[np.int16]
_Key = tuple[int, int]  # revision, and how many dimensions


class ChunkVectors:
    """Of one width. Slots are only ever added, so that readers need no lock."""

    def __init__(self, width: int, most: int) -> None:
        self.rows: Rows = np.empty((most, width), dtype=np.int16)
        self.slots = np.full(1024, -1, dtype=np.int32)
        self.taken = 0
        self._lock = threading.Lock()

    @property
    def nbytes(self) -> int:
        return self.rows[: self.taken].nbytes + self.slots.nbytes

    def slots_of(self, ids: Ints) -> npt.NDArray[np.int32]:
        """-1: not kept."""
        known = self.slots
        slots = np.full(len(ids), -1, dtype=np.int32)
        inside = ids < len(known)
        slots[inside] = known[ids[inside]]
        return slots

    def add(self, ids: Ints, rows: Rows) -> bool:
        """Whether there was space for those that are missing."""
        with self._lock:
            new = self.slots_of(ids) < 0
            ids, rows = ids[new], rows[new]
            end = self.taken + len(ids)
            if end > len(self.rows):
                return False
            if len(ids):
                self._widen(int(ids.max()))
                self.rows[self.taken : end] = rows
                self.slots[ids] = np.arange(self.taken, end, dtype=np.int32)
                self.taken = end
            return True

    def _widen(self, largest: int) -> None:
        if largest >= len(self.slots):
            wider = np.full(max(largest + 1, 2 * len(self.slots)), -1, dtype=np.int32)
            wider[: len(self.slots)] = self.slots
            self.slots = wider


class ChunkProducts:
    """Exact products with chunks by number, from what the catalogue stores.

    `revision` counts how often something was pruned: that may leave its number to another.
    """

    def __init__(self, sql: Queries, cache: TenantCache, history: str, revision: int) -> None:
        """`sql` belongs to a reader who may see the chunks that are asked for."""
        self._sql = sql
        self._limit = cache.limit
        self._kept: CachePart[_Key, ChunkVectors] = CachePart(cache, history, "vectors_by_number")
        self._revision = revision

    def of(self, ids: Ints, query: Scores) -> Scores:
        kept = self._vectors(len(query))
        slots = kept.slots_of(ids)
        lacking = np.flatnonzero(slots < 0)
        scores = dot_products(kept.rows, query, slots)
        if len(lacking):
            missing, read = _read(self._sql, distinct(ids[lacking]), len(query))
            self._keep(kept, missing[missing < LARGEST], read[missing < LARGEST])
            scores[lacking] = dot_products(read, query, np.searchsorted(missing, ids[lacking]))
        return scores

    def _vectors(self, width: int) -> ChunkVectors:
        found = self._kept.get((self._revision, width))
        return self._new(width) if found is None else found

    def _new(self, width: int) -> ChunkVectors:
        found = ChunkVectors(width, max(1, min(MOST, self._limit // (SHARE * 2 * width))))
        self._kept.put((self._revision, width), found, found.nbytes)
        return found

    def _keep(self, kept: ChunkVectors, ids: Ints, rows: Rows) -> None:
        """Where there is no space for these, all others are dropped."""
        width = rows.shape[1]
        if not kept.add(ids, rows):
            kept = self._new(width)
            most = len(kept.rows)
            kept.add(ids[:most], rows[:most])
        self._kept.resize((self._revision, width), kept.nbytes)


def _read(sql: Queries, ids: Ints, width: int) -> tuple[Ints, Rows]:
    rows = sorted(sql.rows("chunk_vectors", vectors=ids.tolist()))
    found = np.array([number for number, _ in rows], dtype=np.int64)
    if not np.array_equal(found, ids):
        raise DamagedRow("the vector of a chunk is missing")
    return found, stacked_vectors([vector for _, vector in rows], width)
