"""Vectors in memory, by the version of the document that they belong to: rows are only added."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from docgraph.adapters.indexes.segments import Ints
from docgraph.adapters.sql.database import DamagedRow, Row
from docgraph.adapters.sql.tenant_cache import CachePart, TenantCache
from docgraph.model.scoring import distinct, turns

FIRST_ROWS = 1024  # that memory is taken for; then twice as many, whenever there are too few

Read = Callable[[list[int]], Sequence[Row]]  # of versions: rows that begin with the version


class VersionVectors:
    """Of one width. All rows of a version stand side by side, in the order in which they are read.

    `numbers` has a number of each row, such as a handle. Readers need no lock: what is there stays
    where it is in the arrays that they hold.
    """

    def __init__(self, width: int, kind: npt.DTypeLike) -> None:
        self.width = width
        self.vectors: npt.NDArray[Any] = np.empty((0, width), dtype=kind)
        self.numbers: Ints = np.empty(0, dtype=np.int64)
        self.begins: Ints = np.full(FIRST_ROWS, -1, dtype=np.int64)  # by version; -1: not here
        self.counts: Ints = np.zeros(FIRST_ROWS, dtype=np.int64)
        self.taken = 0
        self._lock = threading.Lock()

    @property
    def nbytes(self) -> int:
        own = self.vectors.itemsize * self.width + self.numbers.itemsize
        return self.taken * own + self.begins.nbytes + self.counts.nbytes

    def missing(self, versions: Ints) -> Ints:
        begins = self.begins
        known = np.zeros(len(versions), dtype=np.bool_)
        inside = versions < len(begins)
        known[inside] = begins[versions[inside]] >= 0
        return versions[~known]

    def rows_of(self, versions: Ints) -> tuple[Ints, Ints]:
        """The rows of these versions, one version after the other, and how many each has."""
        begins, counts = self.begins[versions], self.counts[versions]
        offsets = np.repeat(begins - (np.cumsum(counts) - counts), counts)
        return offsets + np.arange(len(offsets)), counts

    def add(self, versions: Sequence[int], read: Sequence[Row]) -> None:
        """`read` has (version, vector) or (version, number, vector), in the order of the versions.

        A version without a row is known to have none.
        """
        with self._lock:
            new = self.missing(np.array(versions, dtype=np.int64))
            added = frozenset(new.tolist())
            rows = [row for row in read if row[0] in added]
            owners = np.array([row[0] for row in rows], dtype=np.int64)
            firsts = turns(owners)
            if len(distinct(owners)) != len(firsts):
                raise DamagedRow("vectors of a document are out of order")
            found = owners[firsts]
            empty = np.setdiff1d(new, found)
            index = np.zeros((3, len(found) + len(empty)), dtype=np.int64)
            index[:, : len(found)] = found, firsts, np.diff(firsts, append=len(rows))
            index[0, len(found) :] = empty
            numbers = [row[1] if len(row) == 3 else 0 for row in rows]
            vectors = stacked_vectors([row[-1] for row in rows], self.width)
            self._append(index, np.array(numbers, dtype=np.int64), vectors)

    def _append(self, index: Ints, numbers: Ints, vectors: npt.NDArray[Any]) -> None:
        end = self.taken + len(vectors)
        if end > len(self.vectors):
            size = max(end, 2 * len(self.vectors), FIRST_ROWS)
            larger = np.empty((size, self.width), dtype=self.vectors.dtype)
            larger[: self.taken] = self.vectors[: self.taken]
            self.vectors = larger
        self.vectors[self.taken : end] = vectors
        self._count(index, numbers)

    def _count(self, index: Ints, numbers: Ints) -> None:
        """`index` has versions, where their rows begin among the new ones, and how many they are.
        The vectors are there already."""
        versions, begins, counts = index
        end = self.taken + len(numbers)
        if end > len(self.numbers):
            larger = np.zeros(max(end, 2 * len(self.numbers), FIRST_ROWS), dtype=np.int64)
            larger[: self.taken] = self.numbers[: self.taken]
            self.numbers = larger
        self.numbers[self.taken : end] = numbers
        self._widen(int(versions.max(initial=-1)))
        self.counts[versions] = counts
        self.begins[versions] = self.taken + begins
        self.taken = end

    def _widen(self, largest: int) -> None:
        if largest >= len(self.begins):
            size = max(largest + 1, 2 * len(self.begins))
            begins = np.full(size, -1, dtype=np.int64)
            counts = np.zeros(size, dtype=np.int64)
            begins[: len(self.begins)] = self.begins
            counts[: len(self.counts)] = self.counts
            self.begins, self.counts = begins, counts


class CachedVectors:
    """VersionVectors of one kind in one history, by width. A version never gets another vector."""

    def __init__(
        self,
        cache: TenantCache,
        history: str,
        kind: str,
        *,
        dtype: npt.DTypeLike = np.int16,
        share: int = 1,
    ) -> None:
        """They take one part in `share` of the cache at most."""
        self._kept: CachePart[tuple[str, int], VersionVectors] = CachePart(
            cache, history, "vectors"
        )
        self._kind = kind
        self._dtype = np.dtype(dtype)
        self._most = cache.limit // share
        self._lock = cache.loading(history)
        self._files = None if cache.shared is None else cache.shared.files(history)

    def of(self, versions: Ints, width: int, read: Read, *, at_once: int = 4096) -> VersionVectors:
        """With all rows of these versions; missing ones are read with the rights of the caller."""
        key = (self._kind, width)
        found = self._kept.get(key)
        if found is not None and not len(found.missing(versions)):
            return found
        with self._lock:  # others wait, and find them here
            kept = self._kept.get(key)
            with self._opened(width, kept) as found:
                for page in _pages(found.missing(versions), at_once):
                    found.add(page, read(page))
            self._kept.put(key, found, found.nbytes)
        return found

    @contextmanager
    def _opened(self, width: int, kept: VersionVectors | None) -> Iterator[VersionVectors]:
        """`kept`, unless it is too large, or another process has replaced its file."""
        if self._files is not None:
            with self._files.opened(self._kind, width, self._dtype, self._most, kept) as found:
                yield found
        elif kept is None or kept.nbytes > self._most:
            yield VersionVectors(width, self._dtype)
        else:
            yield kept


def _pages(versions: Ints, size: int) -> Iterator[list[int]]:
    for at in range(0, len(versions), size):
        yield versions[at : at + size].tolist()


def stacked_vectors(vectors: Sequence[bytes], width: int) -> npt.NDArray[np.int16]:
    """Stored vectors of one width, one below the other."""
    if not {2 * width}.issuperset(map(len, vectors)):
        raise DamagedRow("a stored vector has another length than it should")
    return np.frombuffer(b"".join(vectors), dtype="<i2").reshape(len(vectors), width)
