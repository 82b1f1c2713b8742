"""Integer vectors: dot products that are exact in any order of summation.

A unit vector is scaled by 4080 and rounded. Rounding adds at most half the root of the width to its
length: up to 1024 dimensions the length is within 4096. A wider vector that rounding makes longer
than that is scaled by 4096 less that addition instead. So by the Cauchy-Schwarz inequality every
partial sum of a dot product stays within 2**24, where float32 is exact.

The same numbers give the same integers on every machine: a length is the root of a sum that is
rounded once, so it does not depend on the order of summation.
"""

import math

import numpy as np
import numpy.typing as npt

from docgraph.model.errors import ModelError
from docgraph.model.question import MAX_DIMENSIONS

SCALE = 4080
ONE = SCALE * SCALE  # the dot product of equal vectors, but for rounding
MAX_LENGTH = 4096
MAX_SQUARED_LENGTH = MAX_LENGTH * MAX_LENGTH

IntVector = npt.NDArray[np.int16]
IntVectors = npt.NDArray[np.int16]  # one in each row
Sums = npt.NDArray[np.int64]


def to_integers(vector: npt.NDArray[np.floating]) -> IntVector:
    """Scales a vector to unit length in float64, then to integers; zero stays zero."""
    exact = np.asarray(vector, dtype=np.float64)
    length = math.sqrt(math.fsum((exact * exact).tolist()))
    if length == 0.0:
        return np.zeros(exact.shape, dtype=np.int16)
    whole = np.rint(exact * (SCALE / length))
    if whole @ whole > MAX_SQUARED_LENGTH:  # exact: these squares are far below 2**53
        whole = np.rint(exact * (_smaller_scale(len(exact)) / length))
    return whole.astype(np.int16)


def _smaller_scale(dimensions: int) -> float:
    """Rounding cannot make a vector of this length longer than `MAX_LENGTH`."""
    return MAX_LENGTH - math.sqrt(dimensions) / 2


def integer_vector(model: str, floats: npt.NDArray[np.floating]) -> IntVector:
    """The integers of a model's output; an error that names the model where there are none."""
    if len(floats) > MAX_DIMENSIONS:
        raise ModelError(
            f"{model}: vectors of {len(floats)} dimensions; stores take up to {MAX_DIMENSIONS}"
        )
    if not np.isfinite(floats).all():
        raise ModelError(f"{model}: a vector holds values that are not finite numbers")
    return to_integers(floats)


def combine(summaries: IntVectors, totals: Sums, counts: npt.NDArray[np.int64]) -> IntVectors:
    """Nodes' vectors: each row combines a summary's embedding with the mean of `counts` chunks.

    `totals` holds the chunks' sums. A node without chunks has its summary's vector.
    """
    own = _to_integers(summaries.astype(np.int64))
    both = _to_integers(own.astype(np.int64) + _to_integers(totals))
    return np.where(counts[:, np.newaxis] > 0, both, own)


def _to_integers(rows: Sums) -> IntVectors:
    """`to_integers` of every row, with the exact length of integers."""
    lengths = np.sqrt(_squared(rows))
    lengths[lengths == 0.0] = 1.0
    whole = np.rint(rows * (SCALE / lengths)[:, np.newaxis])
    longer = np.vecdot(whole, whole) > MAX_SQUARED_LENGTH
    if longer.any():
        scales = _smaller_scale(rows.shape[1]) / lengths[longer]
        whole[longer] = np.rint(rows[longer] * scales[:, np.newaxis])
    return whole.astype(np.int16)


def _squared(rows: Sums) -> npt.NDArray[np.float64]:
    """Sums of squares, exact and then rounded once."""
    largest = max(int(rows.max(initial=0)), -int(rows.min(initial=0)))
    fits = largest * largest * rows.shape[1] < 2**63
    wide = rows if fits else rows.astype(object)  # Python's integers, for sums of many chunks
    squared: npt.NDArray[np.float64] = (wide * wide).sum(axis=1).astype(np.float64)
    return squared


def cosine(dot: int) -> float:
    return dot / ONE
