"""Integer vectors: dot products that are exact in any order of summation."""

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from docgraph.model.errors import ModelError
from docgraph.model.question import MAX_DIMENSIONS
from docgraph.model.vector import (
    MAX_SQUARED_LENGTH,
    SCALE,
    IntVector,
    combine,
    cosine,
    integer_vector,
    to_integers,
)

Floats = npt.NDArray[np.float64]
WIDTHS = (1, 384, 1024, 1025, 1536, 3072, 4096, 8192, 16_000)
numbers = st.floats(-1e6, 1e6, width=32)
vectors = arrays.arrays(np.float64, st.integers(1, 1024), elements=numbers)
small: st.SearchStrategy[IntVector] = arrays.arrays(
    np.float64, 8, elements=st.floats(-1, 1, width=16)
).map(to_integers)


def partial_sums(a: IntVector, b: IntVector) -> npt.NDArray[np.int64]:
    return np.cumsum(a.astype(np.int64) * b.astype(np.int64))


@given(vectors)
def test_an_integer_vector_never_grows_past_what_float32_counts_in_ones(found: Floats) -> None:
    whole = to_integers(found).astype(np.int64)
    assert int(whole @ whole) <= MAX_SQUARED_LENGTH == 2**24


@given(st.integers(1, MAX_DIMENSIONS), st.integers(0, 2**32 - 1))
@example(MAX_DIMENSIONS, 0)
def test_every_partial_sum_stays_within_two_to_the_24(dimensions: int, seed: int) -> None:
    chance = np.random.default_rng(seed)
    a, b = (to_integers(chance.standard_normal(dimensions)) for _ in range(2))
    for other in (a, b, np.sign(a).astype(np.int16) * np.abs(b)):
        assert np.abs(partial_sums(a, other)).max(initial=0) <= 2**24


@given(st.integers(2, MAX_DIMENSIONS), st.integers(0, 2**32 - 1))
def test_float32_gives_the_exact_dot_product_in_any_order(dimensions: int, seed: int) -> None:
    chance = np.random.default_rng(seed)
    a, b = (to_integers(chance.standard_normal(dimensions)) for _ in range(2))
    exact = int(a.astype(np.int64) @ b.astype(np.int64))
    for _ in range(3):
        order = chance.permutation(dimensions)
        assert float(a[order].astype(np.float32) @ b[order].astype(np.float32)) == exact


def rounded_up(dimensions: int) -> Floats:
    """Every component is a whole number and a half, or just above, so that all round up."""
    half = math.floor(SCALE / math.sqrt(dimensions) - 0.5) + 0.5
    found = np.full(dimensions, half * (1 + 1e-9))
    found[0] = math.sqrt(max(SCALE**2 - math.fsum((found[1:] ** 2).tolist()), 0.0))
    return found


@pytest.mark.parametrize("dimensions", WIDTHS)
def test_no_width_is_refused_up_to_the_limit(dimensions: int) -> None:
    assert MAX_DIMENSIONS >= 8192
    chance = np.random.default_rng(dimensions)
    assert len(integer_vector("m", chance.standard_normal(dimensions))) == dimensions
    with pytest.raises(ModelError, match="dimensions"):
        integer_vector("m", np.ones(MAX_DIMENSIONS + 1))


@pytest.mark.parametrize("dimensions", WIDTHS)
def test_the_worst_rounding_of_any_width_fits(dimensions: int) -> None:
    """No sum of products passes 2**24, so neither float32 nor int32 nor int64 can overflow."""
    for floats in (np.ones(dimensions), rounded_up(dimensions), -rounded_up(dimensions)):
        whole = to_integers(floats)
        sums = partial_sums(whole, whole)
        assert 0 < sums[-1] <= MAX_SQUARED_LENGTH == 2**24 < 2**31 < 2**63
        assert int(np.vecdot(whole.astype(np.int32), whole.astype(np.int32))) == sums[-1]
        assert float(np.vecdot(*[whole.astype(np.float32)] * 2)) == sums[-1]
        (node,) = combine(whole[np.newaxis], whole[np.newaxis].astype(np.int64), np.array([1]))
        assert partial_sums(node, node)[-1] <= MAX_SQUARED_LENGTH


def test_the_worst_rounding_of_1024_dimensions_just_fits() -> None:
    """Every component is 127.5 and rounds up: the sum is what float32 still holds."""
    whole = to_integers(np.ones(1024))
    assert (SCALE, set(whole.tolist())) == (4080, {128})
    assert partial_sums(whole, whole)[-1] == 2**24 == float(np.float32(2**24))


@pytest.mark.parametrize("dimensions", WIDTHS)
def test_a_vector_of_any_width_keeps_its_direction(dimensions: int) -> None:
    chance = np.random.default_rng(dimensions)
    for floats in (chance.standard_normal(dimensions), rounded_up(dimensions)):
        whole = to_integers(floats).astype(np.float64)
        direction = float(whole @ floats) / math.sqrt((whole @ whole) * (floats @ floats))
        assert direction > 0.9999


@pytest.mark.parametrize("dimensions", WIDTHS)
def test_only_vectors_that_would_not_fit_are_scaled_further(dimensions: int) -> None:
    """So vectors that fit are compared on one scale, whatever their width."""
    floats = np.random.default_rng(dimensions).standard_normal(dimensions)
    length = math.sqrt(math.fsum((floats * floats).tolist()))
    assert to_integers(floats).tolist() == np.rint(floats * (SCALE / length)).tolist()
    assert cosine(int(partial_sums(*[to_integers(floats)] * 2)[-1])) == pytest.approx(1, abs=1e-3)


@given(vectors, st.floats(1e-3, 1e3))
def test_only_the_direction_of_a_vector_counts(found: Floats, factor: float) -> None:
    assert np.abs(to_integers(found * factor) - to_integers(found)).max() <= 1


def test_zero_stays_zero() -> None:
    assert to_integers(np.zeros(4)).tolist() == [0, 0, 0, 0]


@given(vectors.filter(lambda found: float(np.abs(found).max()) > 1e-3))
def test_a_vector_is_its_own_nearest_neighbour(found: Floats) -> None:
    whole = to_integers(found).astype(np.int64)
    assert cosine(int(whole @ whole)) == pytest.approx(1, abs=0.01)


def joined_one(summary: IntVector, chunks: list[IntVector]) -> list[int]:
    """Worked out with Python's own integers and the rounding that the types promise."""
    own = unit(summary.tolist())
    if not chunks:
        return own
    mean = unit([sum(column) for column in zip(*map(np.ndarray.tolist, chunks), strict=True)])
    return unit([a + b for a, b in zip(own, mean, strict=True)])


def unit(whole: list[int]) -> list[int]:
    length = math.sqrt(sum(number * number for number in whole)) or 1.0
    found = [round(number * (SCALE / length)) for number in whole]
    if sum(number * number for number in found) <= MAX_SQUARED_LENGTH:
        return found
    scale = 4096 - math.sqrt(len(whole)) / 2
    return [round(number * (scale / length)) for number in whole]


def joined_rows(nodes: list[tuple[IntVector, list[IntVector]]]) -> list[list[int]]:
    summaries = np.array([summary for summary, _ in nodes])
    totals = np.array([np.sum([0 * s, *chunks], axis=0, dtype=np.int64) for s, chunks in nodes])
    counts = np.array([len(chunks) for _, chunks in nodes])
    found: list[list[int]] = combine(summaries, totals, counts).tolist()
    return found


@pytest.mark.requirement(2)
@given(st.lists(st.tuples(small, st.lists(small, max_size=6)), min_size=1, max_size=6))
def test_a_joined_vector_is_the_summary_and_the_mean_in_equal_parts(
    nodes: list[tuple[IntVector, list[IntVector]]],
) -> None:
    assert joined_rows(nodes) == [joined_one(*node) for node in nodes]


@pytest.mark.requirement(2)
@given(st.integers(1, MAX_DIMENSIONS), st.integers(0, 5), st.integers(0, 2**32 - 1))
def test_a_joined_vector_is_the_same_for_any_number_of_dimensions(
    dimensions: int, chunks: int, seed: int
) -> None:
    chance = np.random.default_rng(seed)
    summary, *rest = (to_integers(chance.standard_normal(dimensions)) for _ in range(chunks + 1))
    assert joined_rows([(summary, rest)]) == [joined_one(summary, rest)]


@pytest.mark.requirement(2)
@given(small)
def test_without_chunks_the_summarys_vector_is_used(summary: IntVector) -> None:
    own = to_integers(summary.astype(np.float64))
    assert joined_rows([(summary, [])]) == [own.tolist()]


def test_the_sum_of_very_many_chunks_is_still_exact() -> None:
    summary = to_integers(np.array([1.0, 0.0]))
    total = np.array([[3 * 2**40 + 1, 4 * 2**40]])
    mean = unit(total[0].tolist())
    expected = unit([int(summary[0]) + mean[0], int(summary[1]) + mean[1]])
    assert combine(summary[np.newaxis], total, np.array([2**30])).tolist() == [expected]


@given(vectors)
def test_a_length_does_not_depend_on_the_order_of_summation(found: Floats) -> None:
    assert to_integers(found[::-1]).tolist() == to_integers(found)[::-1].tolist()
