"""Integer vectors: dot products that are exact in any order of summation."""

import random
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from docgraph.model.vector import (
    LARGEST,
    LONGEST_SQUARED,
    SCALE,
    IntVector,
    cosine,
    joined,
    to_integers,
)

Floats = npt.NDArray[np.float64]
numbers = st.floats(-1e6, 1e6, width=32)
vectors = arrays.arrays(np.float64, st.integers(1, LARGEST), elements=numbers)
small: st.SearchStrategy[IntVector] = arrays.arrays(
    np.float64, 8, elements=st.floats(-1, 1, width=16)
).map(to_integers)


def partial_sums(a: IntVector, b: IntVector) -> npt.NDArray[np.int64]:
    return np.cumsum(a.astype(np.int64) * b.astype(np.int64))


@given(vectors)
def test_an_integer_vector_never_grows_past_what_float32_counts_in_ones(found: Floats) -> None:
    whole = to_integers(found).astype(np.int64)
    assert int(whole @ whole) <= LONGEST_SQUARED == 2**24


@given(st.integers(1, LARGEST), st.integers(0, 2**32 - 1))
@example(LARGEST, 0)
def test_every_partial_sum_stays_within_two_to_the_24(dimensions: int, seed: int) -> None:
    chance = np.random.default_rng(seed)
    a, b = (to_integers(chance.standard_normal(dimensions)) for _ in range(2))
    for other in (a, b, np.sign(a).astype(np.int16) * np.abs(b)):
        assert np.abs(partial_sums(a, other)).max(initial=0) <= 2**24


@given(st.integers(2, LARGEST), st.integers(0, 2**32 - 1))
def test_float32_gives_the_exact_dot_product_in_any_order(dimensions: int, seed: int) -> None:
    chance = np.random.default_rng(seed)
    a, b = (to_integers(chance.standard_normal(dimensions)) for _ in range(2))
    exact = int(a.astype(np.int64) @ b.astype(np.int64))
    for _ in range(3):
        order = chance.permutation(dimensions)
        assert float(a[order].astype(np.float32) @ b[order].astype(np.float32)) == exact


def test_the_worst_rounding_of_the_most_dimensions_just_fits() -> None:
    """Every component is 127.5 and rounds up: the sum is what float32 still holds."""
    assert (SCALE, LARGEST) == (4080, 1024)
    whole = to_integers(np.ones(LARGEST))
    assert set(whole.tolist()) == {128}
    assert partial_sums(whole, whole)[-1] == 2**24 == float(np.float32(2**24))


@given(vectors, st.floats(1e-3, 1e3))
def test_only_the_direction_of_a_vector_counts(found: Floats, factor: float) -> None:
    assert np.abs(to_integers(found * factor) - to_integers(found)).max() <= 1


def test_zero_stays_zero() -> None:
    assert to_integers(np.zeros(4)).tolist() == [0, 0, 0, 0]


@given(vectors.filter(lambda found: float(np.abs(found).max()) > 1e-3))
def test_a_vector_is_its_own_nearest_neighbour(found: Floats) -> None:
    whole = to_integers(found).astype(np.int64)
    assert cosine(int(whole @ whole)) == pytest.approx(1, abs=0.01)


@pytest.mark.requirement(2)
@given(small, st.lists(small, max_size=6), st.randoms(use_true_random=False))
def test_a_joined_vector_does_not_depend_on_the_order_of_chunks(
    summary: IntVector, chunks: list[IntVector], chance: random.Random
) -> None:
    before = joined(summary, chunks)
    chance.shuffle(chunks)
    assert joined(summary, chunks).tolist() == before.tolist()


@pytest.mark.requirement(2)
@given(small, st.lists(small, min_size=1, max_size=6))
def test_a_joined_vector_is_the_summary_and_the_mean_in_equal_parts(
    summary: IntVector, chunks: list[IntVector]
) -> None:
    """Worked out with Python's own integers and the rounding that the types promise."""
    total = [sum(int(chunk[i]) for chunk in chunks) for i in range(8)]
    parts = [to_integers(np.array(row, dtype=np.float64)) for row in (summary.tolist(), total)]
    told: Any = [int(a) + int(b) for a, b in zip(*parts, strict=True)]
    expected = to_integers(np.array(told, dtype=np.float64))
    assert joined(summary, chunks).tolist() == expected.tolist()


@pytest.mark.requirement(2)
@given(small)
def test_without_chunks_the_summary_speaks_alone(summary: IntVector) -> None:
    own = to_integers(summary.astype(np.float64))
    assert joined(summary, []).tolist() == own.tolist()
