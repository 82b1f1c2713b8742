"""Rows and whose they are: the best row of each owner speaks for it."""

from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


class RowGroups:
    """Looked at once, asked often. Rows of one owner mostly stand side by side."""

    __slots__ = ("_order", "_starts", "_turns", "owners", "rows")

    def __init__(self, rows: Ints) -> None:
        """`rows` tells each row's owner; `owners` has each once."""
        self.rows = rows
        self._starts = _turns(rows)
        runs = rows[self._starts]
        self._order: Ints | None = None
        self._turns = self._starts
        self.owners = runs
        if len(distinct(runs)) < len(runs):  # some owner's rows stand apart
            self._order = np.argsort(runs, kind="stable")
            self._turns = _turns(runs[self._order])
            self.owners = runs[self._order][self._turns]

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
    return ordered[_turns(ordered)]


def _turns(rows: Ints) -> Ints:
    """Where another owner's rows begin."""
    if not len(rows):
        return np.empty(0, dtype=np.int64)
    return np.flatnonzero(np.concatenate(([True], rows[1:] != rows[:-1])))


def top_groups(
    rows: RowGroups, scores: npt.NDArray[Any], most: int
) -> tuple[Ints, npt.NDArray[Any]]:
    """The `most` best owners, in no order; whoever ties with the last of them is there too."""
    return top_with_ties(rows.owners, rows.best(scores), most)


def top_with_ties(
    owners: Ints, scores: npt.NDArray[Any], most: int
) -> tuple[Ints, npt.NDArray[Any]]:
    if len(scores) <= most:
        return owners, scores
    edge = np.partition(scores, len(scores) - most)[len(scores) - most]
    kept = np.flatnonzero(scores >= edge)
    return owners[kept], scores[kept]
