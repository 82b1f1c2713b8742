"""Progress as JSON: one event in a line, at most one a second of a phase that is not its last."""

import json
from dataclasses import asdict

from docgraph.ingest.progress import Askable, Progress, ProgressEvent
from docgraph.interfaces.cli.progress.lines import WriteLine
from docgraph.interfaces.cli.progress.tracker import Clock, IngestState, ProgressTracker

SECONDS_BETWEEN = 1.0
_DECIMALS = 3


class JsonEvents:
    """`close` writes the last event of every phase, if it was held back."""

    def __init__(self, write: WriteLine, clock: Clock) -> None:
        self._write = write
        self._clock = clock
        self._tracker = ProgressTracker(clock)
        self._written: dict[str, float] = {}  # by phase
        self._held: dict[str, None] = {}  # phases, in order

    def __call__(self, event: ProgressEvent) -> None:
        self._tracker.add(event)
        if isinstance(event, Askable):
            self._line(_askable_values(event))
        elif self._is_due(event):
            self._held.pop(event.phase, None)
            self._show(event.phase)
        else:
            self._held[event.phase] = None

    def close(self) -> None:
        for phase in self._held:
            self._show(phase)
        self._held.clear()

    def _is_due(self, event: Progress) -> bool:
        written = self._written.get(event.phase)
        is_last = 0 < event.total <= event.done
        return written is None or is_last or self._clock() - written >= SECONDS_BETWEEN

    def _show(self, phase: str) -> None:
        self._written[phase] = self._clock()
        self._line(_progress_values(self._tracker.state(), phase))

    def _line(self, values: dict[str, object]) -> None:
        self._write(json.dumps(values, ensure_ascii=False))


def _progress_values(state: IngestState, name: str) -> dict[str, object]:
    phase = next(one for one in state.phases if one.progress.phase == name)
    known = phase.estimate
    return {
        "event": "progress",
        **asdict(phase.progress),
        "rate": _rounded(known.rate),
        "chunk_rate": _rounded(known.chunk_rate),
        "seconds_left": _rounded(known.seconds_left),
        "total_seconds_left": _rounded(state.seconds_left),
    }


def _askable_values(event: Askable) -> dict[str, object]:
    counts = asdict(event.embeddings)
    return {"event": "askable", **asdict(event.snapshot), "state": event.embeddings.name, **counts}


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, _DECIMALS)
