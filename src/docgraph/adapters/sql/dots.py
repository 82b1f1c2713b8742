"""Exact dot products of packed vectors, row by row on one thread.

`@` would wake a second thread, and wait for it on a busy machine.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

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
