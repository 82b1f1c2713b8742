"""Integer vectors: dot products that are exact in any order of summation.

A unit vector is scaled by 4080 and rounded. Every partial sum of a dot product then stays within
2**24, where float32 still counts in ones.
"""

import math
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

SCALE = 4080
LARGEST = 1024  # dimensions up to which rounding cannot push a partial sum past 2**24
LONGEST_SQUARED = 2**24

IntVector = npt.NDArray[np.int16]


def to_integers(vector: npt.NDArray[np.floating]) -> IntVector:
    """A vector of any length, made unit in float64 and then integer; zero stays zero."""
    exact = np.asarray(vector, dtype=np.float64)
    length = math.sqrt(math.fsum(float(x) * float(x) for x in exact))
    if length == 0.0:
        return np.zeros(exact.shape, dtype=np.int16)
    return np.rint(exact * (SCALE / length)).astype(np.int16)


def joined(summary: IntVector, chunks: Iterable[IntVector]) -> IntVector:
    """A node's summary vector: its summary's embedding joined with the mean of its chunks."""
    total = np.zeros(summary.shape, dtype=np.int64)
    count = 0
    for chunk in chunks:
        total += chunk
        count += 1
    own = to_integers(summary.astype(np.float64))
    if count == 0:
        return own
    return to_integers(own.astype(np.float64) + to_integers(total.astype(np.float64)))


def cosine(dot: int) -> float:
    return dot / (SCALE * SCALE)
