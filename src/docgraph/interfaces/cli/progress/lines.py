"""Progress without a terminal: a line for each phase, and more of them on long work."""

from collections.abc import Callable

from docgraph.ingest.progress import Askable, ProgressEvent
from docgraph.interfaces.cli.progress.tracker import (
    Clock,
    PhaseState,
    ProgressTracker,
)
from docgraph.interfaces.cli.progress.wording import (
    describe_askable,
    describe_counts,
    describe_rates,
    describe_time,
)
from docgraph.interfaces.terminal import escape_line

PREFIX = "progress: "
SECONDS_BETWEEN = 10.0

WriteLine = Callable[[str], None]


class PlainLines:
    """One line when a phase begins, and at most one more every ten seconds."""

    def __init__(self, write: WriteLine, clock: Clock) -> None:
        self._write = write
        self._clock = clock
        self._tracker = ProgressTracker(clock)
        self._phase = ""
        self._embeddings = ""
        self._written = clock()

    def __call__(self, event: ProgressEvent) -> None:
        self._tracker.add(event)
        if isinstance(event, Askable):
            self._show_askable(event)
            return
        if self._tracker.phase != self._phase or self._is_time():
            self._phase = self._tracker.phase
            self._show(self._tracker.state().current)

    def _show(self, current: PhaseState | None) -> None:
        if current is not None:
            self._line(_describe(current))

    def _is_time(self) -> bool:
        return self._clock() - self._written >= SECONDS_BETWEEN

    def _show_askable(self, event: Askable) -> None:
        """Each state of embedding is news; one more snapshot in the same state is not."""
        if event.embeddings.name != self._embeddings or self._is_time():
            self._embeddings = event.embeddings.name
            self._line(describe_askable(event))

    def _line(self, text: str) -> None:
        self._written = self._clock()
        self._write(escape_line(PREFIX + text))


def _describe(phase: PhaseState) -> str:
    """`reading: 1,204 of 4,023 files, 20,913 chunks, 95 files/s, 30 s left`."""
    counts = describe_counts(phase.progress, phase.chunks)
    time = "" if phase.is_finished else describe_time(phase)
    known = ", ".join(part for part in (counts, describe_rates(phase), time) if part)
    return f"{phase.progress.phase}: {known}" if known else phase.progress.phase
