"""How fast a phase goes, and how long it still takes: from when its events came, and no clock."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice

from docgraph.ingest.progress import Progress

WINDOW = 10.0  # seconds that figures are taken over, and longer where events are rare:
RATE_SAMPLES, LEFT_SAMPLES = 3, 8  # as many events count at least, for rates and the time left
SHARE = 0.25  # of the time so far that the time left is taken from, if that is longer
BASIS = 1.0  # seconds; what is known of less is no basis for a figure
TOGETHER = 0.25  # seconds: the files of a batch are reported together, after the time of all
OVERDUE = 2.0  # seconds that work may take longer than estimated


@dataclass(frozen=True, slots=True)
class PhaseEstimate:
    """None is a figure without a basis. Rates are per second of the phase's unit, and of chunks."""

    rate: float | None = None
    chunk_rate: float | None = None
    seconds_left: float | None = None


@dataclass(frozen=True, slots=True)
class _Sample:
    time: float
    progress: Progress


class PhaseEstimator:
    """Of one phase, from the event that it began with. Times are seconds and never go back.

    Its cost is taken to be proportional to `size` where the total is known, else to `done`.
    """

    def __init__(self, time: float, progress: Progress) -> None:
        self._began = time
        self._samples = deque([_Sample(time, progress)])  # each at least TOGETHER after the last
        self._newest: _Sample | None = None  # may be replaced by those that come with it
        self._first_of_newest = time

    def add(self, time: float, progress: Progress) -> None:
        if self._newest is None or time - self._first_of_newest >= TOGETHER:
            self._settle()
            self._first_of_newest = time
        self._newest = _Sample(time, progress)

    def estimate(self, now: float) -> PhaseEstimate:
        """A part of a batch says nothing about the batch: the newest events count when they have
        been the newest for a while."""
        if self._newest is not None and now - self._newest.time >= TOGETHER:
            self._settle()
        last = self._samples[-1]
        recent = self._sample_before(WINDOW, RATE_SAMPLES)
        past = self._sample_before(self._long_window(), LEFT_SAMPLES)
        return PhaseEstimate(
            _rate(recent, last, _done),
            _rate(recent, last, _chunks),
            _seconds_left(past, last, now - last.time),
        )

    def _settle(self) -> None:
        if self._newest is None:
            return
        if not self._samples[0].progress.done:
            self._samples.clear()  # the first file ends after processes and models are started
        self._samples.append(self._newest)
        self._newest = None
        oldest = self._sample_before(self._long_window(), LEFT_SAMPLES)
        while self._samples[0] is not oldest:
            self._samples.popleft()

    def _long_window(self) -> float:
        return max(WINDOW, SHARE * (self._samples[-1].time - self._began))

    def _sample_before(self, seconds: float, count: int) -> _Sample:
        """The newest one that is at least so much older, and so many earlier, than the last one;
        else the oldest."""
        until = self._samples[-1].time - seconds
        earlier = islice(reversed(self._samples), count, None)
        return next((one for one in earlier if one.time <= until), self._samples[0])


def _done(progress: Progress) -> int:
    return progress.done


def _chunks(progress: Progress) -> int:
    return progress.chunks


def _size(progress: Progress) -> int:
    return progress.size


def _rate(first: _Sample, last: _Sample, count: Callable[[Progress], int]) -> float | None:
    seconds, grown = last.time - first.time, count(last.progress) - count(first.progress)
    return grown / seconds if seconds >= BASIS and grown > 0 else None


def _seconds_left(first: _Sample, last: _Sample, since: float) -> float | None:
    """As long as nothing is reported, work in progress is taken to go on at the same speed."""
    by_size = last.progress.total_size > 0
    count, total = (_size, last.progress.total_size) if by_size else (_done, last.progress.total)
    if 0 < last.progress.total == last.progress.done:
        return 0.0
    rate = _rate(first, last, count)
    if rate is None or not total:
        return None
    left = (total - count(last.progress)) / rate - since
    return max(left, 0.0) if left >= -OVERDUE else None
