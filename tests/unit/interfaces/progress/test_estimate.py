"""Rates and the time left, against work whose real end is known."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.ingest.progress import READING, Progress
from docgraph.interfaces.cli.progress.estimate import (
    BASIS,
    LEFT_SAMPLES,
    OVERDUE,
    SHARE,
    TOGETHER,
    WINDOW,
    PhaseEstimate,
    PhaseEstimator,
)

TICK = 0.5  # seconds between two looks
WRONG_BY = 0.3


@dataclass(frozen=True, slots=True)
class File:
    size: int
    ends: float  # seconds after the phase began


def files(sizes: Sequence[int], seconds: Sequence[float]) -> list[File]:
    return [File(size, end) for size, end in zip(sizes, accumulate(seconds), strict=True)]


def steady(count: int, each: float) -> list[File]:
    return files([1] * count, [each] * count)


def events(work: Sequence[File], *, by_size: bool) -> Iterator[tuple[float, Progress]]:
    total_size = sum(file.size for file in work) if by_size else 0
    sizes = accumulate(file.size for file in work)
    for done, (file, size) in enumerate(zip(work, sizes, strict=True), start=1):
        known = size if by_size else 0
        yield file.ends, Progress(READING, done, len(work), 3 * done, known, total_size)


def looks(
    work: Sequence[File], *, by_size: bool = True
) -> Iterator[tuple[float, float, PhaseEstimate]]:
    """What a person sees who looks twice a second and at every event: the time of each look, how
    much longer the work really took, and the estimate."""
    end = work[-1].ends
    pending = list(events(work, by_size=by_size))
    total_size = pending[-1][1].total_size
    estimator = PhaseEstimator(0.0, Progress(READING, 0, len(work), 0, 0, total_size))
    times = {file.ends for file in work} | {TICK * n for n in range(1, int(end / TICK))}
    for now in sorted(times):
        while pending and pending[0][0] <= now:
            estimator.add(*pending.pop(0))
            yield now, end - now, estimator.estimate(now)
        yield now, end - now, estimator.estimate(now)


def is_near(left: float, truth: float) -> bool:
    return abs(left - truth) <= WRONG_BY * truth + 1e-6


def known_from(work: Sequence[File]) -> float:
    """After a tenth of the time, if something has ended by then that is a basis."""
    basis = work[0].ends + TOGETHER + BASIS
    ended = next((file.ends for file in work if file.ends >= basis), work[-1].ends)
    return max(work[-1].ends / 10, ended + 2 * TOGETHER)


def assert_near_after_a_tenth(work: Sequence[File], *, by_size: bool = True) -> None:
    begin = known_from(work)
    for now, truth, found in looks(work, by_size=by_size):
        if now > begin:
            assert found.seconds_left is not None, now
            assert is_near(found.seconds_left, truth), (now, truth, found)


@pytest.mark.requirement(57)
@pytest.mark.parametrize("each", [0.01, 0.1, 1.0, 45.0])
def test_the_time_left_of_steady_work_is_right_after_a_tenth(each: float) -> None:
    count = 1500 if each < 0.1 else 60 if each > 1 else 300
    assert_near_after_a_tenth(steady(count, each))
    assert_near_after_a_tenth(steady(count, each), by_size=False)


@pytest.mark.requirement(57)
@given(
    st.lists(st.floats(0, 6), min_size=30, max_size=120),
    st.floats(20, 2_000),
    st.randoms(use_true_random=False),
)
def test_the_time_left_of_files_of_very_different_sizes_is_right_after_a_tenth(
    magnitudes: list[float], seconds: float, random: Random
) -> None:
    """From a byte to a million of them, in any order; the time is proportional to the size."""
    sizes = [max(1, int(10**magnitude)) for magnitude in magnitudes]
    random.shuffle(sizes)
    assert_near_after_a_tenth(files(sizes, [seconds * size / sum(sizes) for size in sizes]))


@pytest.mark.requirement(57)
@pytest.mark.parametrize("batch_seconds", [0.5, 4.0, 30.0])
def test_files_that_are_reported_in_batches_do_not_mislead(batch_seconds: float) -> None:
    """A batch of 64 is reported within milliseconds, after the time of all of its files."""
    ends = [batch_seconds * (1 + n // 64) + 0.001 * (n % 64) for n in range(64 * 40)]
    work = [File(1, end) for end in ends]
    begin = known_from(work)
    for now, truth, found in looks(work):
        # Of the last batch it can only be known that it should have ended.
        if begin < now < work[-1].ends - batch_seconds:
            assert found.seconds_left is not None
            assert abs(found.seconds_left - truth) <= WRONG_BY * truth, (now, truth, found)


@pytest.mark.requirement(57)
@pytest.mark.parametrize("factor", [0.5, 3.0])
@pytest.mark.parametrize("each", [0.1, 2.0])
def test_after_a_change_of_speed_the_time_left_is_right_again_when_the_window_has_passed(
    factor: float, each: float
) -> None:
    work = files([1] * 600, [each] * 300 + [each * factor] * 300)
    change = work[299].ends
    rare = LEFT_SAMPLES * each * factor
    right_from = max(change + max(WINDOW, rare), change / (1 - SHARE)) + each * factor + TOGETHER
    assert right_from < work[-1].ends
    for now, truth, found in looks(work):
        if now > right_from:
            assert found.seconds_left is not None
            assert is_near(found.seconds_left, truth), (now, truth, found)


def test_a_rate_is_that_of_the_last_seconds() -> None:
    work = files([1] * 400, [0.1] * 200 + [0.5] * 200)
    *_, (_, _, last) = looks(work[:-1])
    assert last.rate == pytest.approx(2, rel=0.05)
    assert last.chunk_rate == pytest.approx(6, rel=0.05)


@pytest.mark.requirement(57)
def test_a_figure_without_a_basis_is_not_shown() -> None:
    """Ten thousand files in ten milliseconds are no million files a second."""
    estimator = PhaseEstimator(0.0, Progress(READING, 0, 20_000, 0, 0, 20_000))
    assert estimator.estimate(5.0) == PhaseEstimate()
    estimator.add(5.01, Progress(READING, 1, 20_000, 0, 1, 20_000))
    estimator = PhaseEstimator(0.0, Progress(READING, 0, 20_000, 0, 0, 20_000))
    for done in range(1, 10_001):
        estimator.add(done / 1_000_000, Progress(READING, done, 20_000, done, done, 20_000))
        assert estimator.estimate(done / 1_000_000) == PhaseEstimate()
    assert estimator.estimate(0.9) == PhaseEstimate()


@pytest.mark.requirement(57)
@given(st.lists(st.floats(0, 3), min_size=1, max_size=60), st.booleans())
def test_no_rate_exceeds_what_was_done_in_a_second(pauses: list[float], by_size: bool) -> None:
    work = files([1] * len(pauses), pauses)
    for _, _, found in looks(work, by_size=by_size):
        assert found.rate is None or 0 < found.rate <= len(work) / BASIS
        assert found.seconds_left is None or found.seconds_left >= 0


def test_work_that_takes_far_longer_than_estimated_has_no_estimate() -> None:
    estimator = PhaseEstimator(0.0, Progress(READING, 0, 10))
    for done in range(1, 9):
        estimator.add(float(done), Progress(READING, done, 10))
    assert estimator.estimate(8.5).seconds_left == pytest.approx(1.5)
    assert estimator.estimate(10.0 + OVERDUE - 0.1).seconds_left == 0
    assert estimator.estimate(10.0 + OVERDUE + 0.1).seconds_left is None


def test_what_the_first_file_waits_for_does_not_count() -> None:
    """Processes and models are started before it."""
    estimator = PhaseEstimator(0.0, Progress(READING, 0, 100))
    for done in range(1, 11):
        estimator.add(20.0 + done, Progress(READING, done, 100))
    assert estimator.estimate(30.5).rate == pytest.approx(1)
    assert estimator.estimate(30.5).seconds_left == pytest.approx(89.5)


def test_nothing_is_left_of_work_that_is_done() -> None:
    estimator = PhaseEstimator(0.0, Progress(READING, 0, 1))
    estimator.add(0.1, Progress(READING, 1, 1))
    assert estimator.estimate(9.0).seconds_left == 0


def test_without_a_total_there_is_a_rate_and_no_end() -> None:
    estimator = PhaseEstimator(0.0, Progress(READING, 0, 0))
    for done in range(1, 50):
        estimator.add(done / 10, Progress(READING, done, 0))
    found = estimator.estimate(5.5)
    assert found.rate == pytest.approx(10)
    assert found.seconds_left is None


def test_hours_of_work_need_little_memory() -> None:
    estimator = PhaseEstimator(0.0, Progress(READING, 0, 10**9))
    for done in range(1, 200_000):
        estimator.add(done / 50, Progress(READING, done, 10**9))
    assert len(estimator._samples) <= SHARE * 4000 / TOGETHER + 2  # noqa: SLF001
