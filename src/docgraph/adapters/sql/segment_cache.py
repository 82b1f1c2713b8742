"""Segments in memory. They are written once, so they are kept by number; rights are not in here."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from docgraph.adapters.sql.database import Queries, only
from docgraph.adapters.sql.segment import Segment

MOST_APART = 16  # segments that are searched one by one; more are joined, and searched as one
MOST_JOINED = 2  # such joins that are kept
Vectors = npt.NDArray[np.int16]


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """The segments that one reader's question is about: alone, or joined into one.

    `places` tells by a segment's number under which key its arrays are, and from which passage on.
    """

    arrays: Mapping[int, Segment]
    places: Mapping[int, tuple[int, int]]
    passages: Callable[[int], Vectors]


@dataclass(slots=True)
class Joined:
    whole: Segment
    offsets: dict[int, int]
    vectors: list[Vectors] = field(default_factory=list)


class SegmentCache:
    """Any number of readers at once: one may let go of what another still holds."""

    def __init__(self) -> None:
        self._arrays: dict[int, Segment] = {}
        self._vectors: dict[int, Vectors] = {}
        self._joined: OrderedDict[tuple[int, ...], dict[int, Joined]] = OrderedDict()

    def keep(self, numbers: Iterable[int]) -> None:
        """Lets go of segments that were merged away."""
        known = set(numbers)
        self._arrays = {n: kept for n, kept in self._arrays.copy().items() if n in known}
        self._vectors = {n: kept for n, kept in self._vectors.copy().items() if n in known}
        self._joined = OrderedDict(
            (key, kept) for key, kept in self._joined.copy().items() if known.issuperset(key)
        )

    def of(self, sql: Queries, numbers: Sequence[int]) -> Held:
        """`sql` belongs to a reader who may see these."""
        if len(numbers) > MOST_APART:
            return self._together(sql, tuple(numbers))
        arrays = {number: self._of(sql, number) for number in numbers}
        places = {number: (number, 0) for number in numbers}
        return Held(arrays, places, lambda number: self._passages(sql, number, arrays[number]))

    def _together(self, sql: Queries, numbers: tuple[int, ...]) -> Held:
        """Those of one width are one: vectors of different models cannot stand in one array."""
        joined = self._joined.get(numbers)
        if joined is None:
            joined = _joined({number: self._of(sql, number) for number in numbers})
            self._joined[numbers] = joined
            while len(self._joined) > MOST_JOINED:
                self._joined.popitem(last=False)
        found = joined

        def passages(width: int) -> Vectors:
            one = found[width]
            if not one.vectors:
                parts = [self._passages(sql, n, self._of(sql, n)) for n in one.offsets]
                one.vectors.append(np.concatenate(parts))
            return one.vectors[0]

        places = {n: (width, at) for width, one in found.items() for n, at in one.offsets.items()}
        return Held({width: one.whole for width, one in found.items()}, places, passages)

    def _of(self, sql: Queries, number: int) -> Segment:
        found = self._arrays.get(number)
        if found is None:
            (arrays,) = only(sql.row("segment_arrays", segment=number))
            found = self._arrays[number] = Segment.from_bytes(arrays)
        return found

    def _passages(self, sql: Queries, number: int, segment: Segment) -> Vectors:
        """Chunk vectors are needed by the flat baseline alone, so they load on demand."""
        vectors = self._vectors.get(number)
        if vectors is None:
            wanted = segment.passage_vector.tolist()
            found: dict[int, bytes] = dict(sql.rows("passage_vectors", vectors=wanted))
            blobs = b"".join(found[vector] for vector in wanted)
            vectors = np.frombuffer(blobs, dtype="<i2").reshape(-1, segment.width)
            self._vectors[number] = vectors
        return vectors


def _joined(parts: Mapping[int, Segment]) -> dict[int, Joined]:
    """By width."""
    widths = sorted({part.width for part in parts.values()})
    return {
        width: _join({n: part for n, part in parts.items() if part.width == width})
        for width in widths
    }


def _join(parts: Mapping[int, Segment]) -> Joined:
    offsets, total = {}, 0
    for number, part in parts.items():
        offsets[number] = total
        total += len(part.passage_document)
    return Joined(Segment.joined(list(parts.values())), offsets)
