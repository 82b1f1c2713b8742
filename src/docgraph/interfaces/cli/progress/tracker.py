"""What is known of all phases of an ingest, from its events and a clock."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from threading import Lock

from docgraph.ingest.progress import PHASES, Askable, Progress, ProgressEvent
from docgraph.interfaces.cli.progress.estimate import PhaseEstimate, PhaseEstimator

Clock = Callable[[], float]  # seconds, from any beginning


@dataclass(frozen=True, slots=True)
class PhaseState:
    """`seconds` it has taken, None before it begins; `quiet` for how many nothing was reported.

    `chunks` are those so far, where the phase makes some.
    """

    progress: Progress
    estimate: PhaseEstimate
    chunks: int
    seconds: float | None
    quiet: float
    is_finished: bool


@dataclass(frozen=True, slots=True)
class IngestState:
    """`current` is the phase of the newest event, None before the first; `quiet` as of a phase.

    `seconds_left` is that of all phases that are known, None while one of them has no estimate.
    """

    phases: tuple[PhaseState, ...]
    current: PhaseState | None
    askable: Askable | None
    seconds: float
    quiet: float
    seconds_left: float | None


class _Phase:
    def __init__(self, progress: Progress) -> None:
        self.latest = progress
        self.began: float | None = None
        self.ended: float | None = None
        self._first_chunks = progress.chunks
        self._estimator: PhaseEstimator | None = None
        self._reported = 0.0

    @property
    def is_finished(self) -> bool:
        return self.ended is not None

    def add(self, time: float, progress: Progress) -> None:
        if self._estimator is None or progress.done < self.latest.done:
            self.began, self._first_chunks = time, progress.chunks
            self._estimator = PhaseEstimator(time, progress)
        else:
            self._estimator.add(time, progress)
        self.latest, self._reported = progress, time
        self.ended = time if 0 < progress.total <= progress.done else None

    def leave(self, time: float) -> None:
        """Another phase goes on: this one is over if nobody knew its total, or had not begun."""
        if not self.latest.done:
            self.began, self._estimator = None, None
        elif not self.latest.total and not self.is_finished:
            self.ended = time

    def state(self, now: float) -> PhaseState:
        known = self._estimator.estimate(now) if self._estimator is not None else PhaseEstimate()
        until = now if self.ended is None else self.ended
        return PhaseState(
            progress=self.latest,
            estimate=known,
            chunks=self.latest.chunks if self.latest.chunks > self._first_chunks else 0,
            seconds=None if self.began is None else until - self.began,
            quiet=0.0 if self.began is None else now - self._reported,
            is_finished=self.is_finished,
        )


class ProgressTracker:
    """May be used by several threads at once."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._began = self._reported = clock()
        self._phases: dict[str, _Phase] = {}
        self._current = ""
        self._askable: Askable | None = None
        self._lock = Lock()

    def add(self, event: ProgressEvent) -> None:
        with self._lock:
            self._reported = self._clock()
            if isinstance(event, Askable):
                self._askable = event
            else:
                self._add(event, self._reported)

    @property
    def phase(self) -> str:
        """The current one; empty before the first."""
        return self._current

    def state(self) -> IngestState:
        with self._lock:
            now = self._clock()
            phases = {name: phase.state(now) for name, phase in self._phases.items()}
            return IngestState(
                phases=tuple(sorted(phases.values(), key=_order)),
                current=phases.get(self._current),
                askable=self._askable,
                seconds=now - self._began,
                quiet=now - self._reported,
                seconds_left=_seconds_left(phases.values()),
            )

    def _add(self, progress: Progress, time: float) -> None:
        current = self._phases.get(self._current)
        phase = self._phases.setdefault(progress.phase, _Phase(progress))
        if phase is not current and current is not None:
            if _is_announcement(progress, current):
                phase.latest = progress
                return
            current.leave(time)
        self._current = progress.phase
        phase.add(time, progress)


def _is_announcement(progress: Progress, current: _Phase) -> bool:
    """A total may be given before the phase begins: the current phase goes on."""
    return not progress.done and 0 < current.latest.done < current.latest.total


def _order(phase: PhaseState) -> int:
    """Phases of other work than an ingest come as they are reported."""
    name = phase.progress.phase
    return PHASES.index(name) if name in PHASES else len(PHASES)


def _seconds_left(phases: Iterable[PhaseState]) -> float | None:
    """Phases that go on by turns share the time that each of them takes."""
    left = [phase.estimate.seconds_left for phase in phases if not phase.is_finished]
    known = [seconds for seconds in left if seconds is not None]
    return max(known) if known and len(known) == len(left) else None
