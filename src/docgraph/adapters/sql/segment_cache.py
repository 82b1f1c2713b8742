"""Segments in memory. They are written once, so they are kept by number; rights are not in here."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from docgraph.adapters.sql.database import Queries, only
from docgraph.adapters.sql.segment import Segment


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """The segments that one reader's question is about, and their passages' vectors."""

    arrays: dict[int, Segment]
    cache: "SegmentCache"
    sql: Queries

    def passages(self, number: int) -> npt.NDArray[np.int16]:
        return self.cache.passages(self.sql, number, self.arrays[number])


class SegmentCache:
    """Any number of readers at once: one may let go of what another still holds."""

    def __init__(self) -> None:
        self._arrays: dict[int, Segment] = {}
        self._vectors: dict[int, npt.NDArray[np.int16]] = {}

    def keep(self, numbers: Iterable[int]) -> None:
        """Lets go of segments that were merged away."""
        known = set(numbers)
        self._arrays = {n: kept for n, kept in self._arrays.copy().items() if n in known}
        self._vectors = {n: kept for n, kept in self._vectors.copy().items() if n in known}

    def of(self, sql: Queries, numbers: Iterable[int]) -> Held:
        """`sql` belongs to a reader who may see these."""
        return Held({number: self._of(sql, number) for number in numbers}, self, sql)

    def _of(self, sql: Queries, number: int) -> Segment:
        found = self._arrays.get(number)
        if found is None:
            (arrays,) = only(sql.row("segment_arrays", segment=number))
            found = self._arrays[number] = Segment.from_bytes(arrays)
        return found

    def passages(self, sql: Queries, number: int, segment: Segment) -> npt.NDArray[np.int16]:
        """Chunk vectors are needed by the flat baseline alone, so they load on demand."""
        vectors = self._vectors.get(number)
        if vectors is None:
            wanted = segment.passage_vector.tolist()
            found: dict[int, bytes] = dict(sql.rows("passage_vectors", vectors=wanted))
            blobs = b"".join(found[vector] for vector in wanted)
            width = segment.node_vectors.shape[1]
            vectors = np.frombuffer(blobs, dtype="<i2").reshape(-1, width)
            self._vectors[number] = vectors
        return vectors
