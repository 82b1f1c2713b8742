"""Postings: which chunks contain a term, and how often. Collected as they come, packed by term."""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain, count, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from docgraph.adapters.indexes.segments import Ints, SmallInts, pack_numbers, unpack_numbers
from docgraph.model.tokenize import run_terms, word_runs

Packed = tuple[str, bytes, bytes]  # a term, its chunks, how often it is in each


class PostingsWriter:
    """Chunks count from 0. Only numbers of runs are kept, until `packed` makes terms of them."""

    def __init__(self) -> None:
        self._numbers: defaultdict[str, int] = defaultdict(count().__next__)
        self._found = array("i")
        self._sizes = array("i")

    def add(self, text: str) -> None:
        found = list(map(self._numbers.__getitem__, word_runs(text)))
        self._found.fromlist(found)
        self._sizes.append(len(found))

    def packed(self) -> tuple[Ints, Iterator[Packed]]:
        """The length of every chunk in words, and the postings by term."""
        vocabulary, meant, starts, sizes = self._terms()
        chunks = np.repeat(np.arange(len(self._sizes), dtype=np.int32), self._sizes)
        found = np.asarray(self._found)
        many = sizes[found]
        lengths = np.bincount(chunks, weights=many, minlength=len(self._sizes))
        keys = meant[_spread(starts[found], many)]
        keys *= len(self._sizes)
        keys += np.repeat(chunks, many)
        keys.sort()  # by term, and within it by chunk
        is_first = np.ones(len(keys), dtype=np.bool_)
        np.not_equal(keys[1:], keys[:-1], out=is_first[1:])
        firsts = np.flatnonzero(is_first)
        term, chunk = np.divmod(keys[firsts], max(len(self._sizes), 1))
        frequencies = np.diff(firsts, append=len(keys))
        held = np.bincount(term, minlength=len(vocabulary))
        rows = _cut(vocabulary, held, chunk, frequencies)
        return lengths.astype(np.int64), rows

    def _terms(self) -> tuple[list[str], Ints, SmallInts, SmallInts]:
        """All terms in order; then those of all runs, and where each run's start and how many."""
        said = [run_terms(run) for run in self._numbers]
        vocabulary = sorted(set(chain.from_iterable(said)))
        place = {term: at for at, term in enumerate(vocabulary)}
        meant = np.fromiter(map(place.__getitem__, chain.from_iterable(said)), dtype=np.int64)
        sizes = np.fromiter(map(len, said), dtype=np.int32, count=len(said))
        return vocabulary, meant, _before(sizes), sizes


def _before(sizes: SmallInts) -> SmallInts:
    return np.cumsum(sizes, dtype=np.int32) - sizes


def _spread(starts: SmallInts, sizes: SmallInts) -> SmallInts:
    """`[7, 2]` and `[3, 1]` give `[7, 8, 9, 2]`."""
    spread = np.repeat(starts - _before(sizes), sizes)
    spread += np.arange(len(spread), dtype=np.int32)
    return spread


def merged(
    rows: Iterable[tuple[str, int, bytes, bytes]], offsets: dict[int, int]
) -> Iterator[Packed]:
    """Of (term, segment, chunks, frequencies); `offsets` are the segments' in their new order."""
    order = {segment: at for at, segment in enumerate(offsets)}
    ordered = sorted(rows, key=lambda row: (row[0], order[row[1]]))
    chunks = [unpack_numbers(row[2]).astype(np.int64) + offsets[row[1]] for row in ordered]
    frequencies = [unpack_numbers(row[3]) for row in ordered]
    together: dict[str, int] = {}
    for row, found in zip(ordered, chunks, strict=True):
        together[row[0]] = together.get(row[0], 0) + len(found)
    sizes = np.fromiter(together.values(), dtype=np.int64)
    return _cut(list(together), sizes, _joined(chunks), _joined(frequencies))


def _joined(parts: list[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    return np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)


def thinned(rows: Iterable[Packed], kept: "npt.NDArray[np.bool_]") -> Iterator[Packed]:
    """The same postings without the chunks that are not kept, counted anew."""
    moved = np.cumsum(kept) - 1
    for term, packed, counted in rows:
        positions = unpack_numbers(packed)
        seen = kept[positions]
        if seen.any():
            found = moved[positions[seen]]
            yield term, pack_numbers(found), pack_numbers(unpack_numbers(counted)[seen])


def _cut(
    vocabulary: list[str],
    sizes: npt.NDArray[np.int64],
    chunks: npt.NDArray[Any],
    frequencies: npt.NDArray[Any],
) -> Iterator[Packed]:
    """Each term's share of what stands one after the other."""
    borders = [0, *np.cumsum(sizes).tolist()]
    columns = zip(_parts(chunks, borders), _parts(frequencies, borders), strict=True)
    for term, (own, counted) in zip(vocabulary, columns, strict=True):
        yield term, own, counted


def _parts(numbers: npt.NDArray[Any], borders: list[int]) -> Iterator[bytes]:
    """Packed, all in the same width."""
    whole = pack_numbers(numbers)
    head, width = whole[:1], whole[0]
    for begin, end in pairwise(borders):
        yield head + whole[1 + begin * width : 1 + end * width]
