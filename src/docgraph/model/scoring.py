"""Scoring in pure functions: BM25 of chunks, and the best row of each owner."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Positions = npt.NDArray[np.integer[Any]]
Weights = npt.NDArray[np.float64]


class RowGroups:
    """Looked at once, asked often. Rows of one owner mostly stand side by side."""

    __slots__ = ("_order", "_starts", "_turns", "owners", "rows")

    def __init__(self, rows: Ints) -> None:
        """`rows` tells each row's owner; `owners` has each once."""
        self.rows = rows
        self._starts = turns(rows)
        runs = rows[self._starts]
        self._order: Ints | None = None
        self._turns = self._starts
        self.owners = runs
        if len(distinct(runs)) < len(runs):  # some owner's rows stand apart
            self._order = np.argsort(runs, kind="stable")
            self._turns = turns(runs[self._order])
            self.owners = runs[self._order][self._turns]

    @property
    def nbytes(self) -> int:
        order = 0 if self._order is None else self._order.nbytes
        return self.rows.nbytes + self._starts.nbytes + self._turns.nbytes + order

    def best(self, scores: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """By owner, the highest of its rows' scores."""
        if not len(scores):
            return scores
        found = scores
        if len(self._starts) < len(scores):
            found = np.maximum.reduceat(scores, self._starts)
        if self._order is None:
            return found
        best: npt.NDArray[Any] = np.maximum.reduceat(found[self._order], self._turns)
        return best


def distinct(numbers: Ints) -> Ints:
    """Each once, in order; np.unique imports a good part of NumPy that nobody else needs."""
    ordered = np.sort(numbers)
    return ordered[turns(ordered)]


def turns(rows: Ints) -> Ints:
    """Where another owner's rows begin."""
    if not len(rows):
        return np.empty(0, dtype=np.int64)
    return np.flatnonzero(np.concatenate(([True], rows[1:] != rows[:-1])))


def top_rows(scores: npt.NDArray[Any], most: int) -> Ints:
    """The `most` best, in their own order, and all that tie with the last of them."""
    if len(scores) <= most:
        return np.arange(len(scores))
    edge = np.partition(scores, len(scores) - most)[len(scores) - most]
    return np.flatnonzero(scores >= edge)


def top_groups(
    rows: RowGroups, scores: npt.NDArray[Any], most: int
) -> tuple[Ints, npt.NDArray[Any]]:
    """The `most` best owners, in no order, and all that tie with the last of them."""
    return top_with_ties(rows.owners, rows.best(scores), most)


def top_with_ties(
    owners: Ints, scores: npt.NDArray[Any], most: int
) -> tuple[Ints, npt.NDArray[Any]]:
    best = top_rows(scores, most)
    return owners[best], scores[best]


@dataclass(frozen=True, slots=True, eq=False)
class ChunkLengths:
    """Lengths in terms of the chunks that are counted, by position, and their mean."""

    lengths: Weights
    mean: float

    @classmethod
    def of(cls, lengths: npt.NDArray[Any]) -> "ChunkLengths":
        counts = lengths.astype(np.float64)
        counts.setflags(write=False)
        return cls(counts, int(lengths.sum()) / max(len(lengths), 1))


@dataclass(frozen=True, slots=True)
class Bm25:
    """Okapi BM25: `k1` bounds what repetitions of a term add, `b` is how much length counts."""

    k1: float = 1.2
    b: float = 0.75

    def weights(
        self, positions: Positions, frequencies: Positions, chunks: ChunkLengths
    ) -> Weights:
        """What one term adds to the score of each chunk that it is in, at these positions."""
        frequency = frequencies.astype(np.float64)
        norm = self.k1 * (1 - self.b + self.b * chunks.lengths[positions] / chunks.mean)
        weights: Weights = idf(len(positions), len(chunks.lengths)) * (
            frequency * (self.k1 + 1) / (frequency + norm)
        )
        return weights


def idf(containing: int, chunks: int) -> float:
    """Rounded, so that another machine's logarithm gives the same bits."""
    return round(math.log(1 + (chunks - containing + 0.5) / (containing + 0.5)), 9)


def score_owners(
    terms: Iterable[tuple[Positions, Weights]], owners: RowGroups
) -> tuple[Ints, Weights]:
    """Row groups that contain a term, with their best chunk's sum of weights.

    A chunk's weights are added in the terms' order, so its score has the same bits whatever other
    chunks there are.
    """
    scores = np.zeros(len(owners.rows), dtype=np.float64)
    for positions, weights in terms:
        scores[positions] += weights
    best = owners.best(scores)
    scored = np.flatnonzero(best)  # every term of a chunk adds to its score
    return owners.owners[scored], best[scored]
