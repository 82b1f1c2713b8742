"""Looks in the background whether sources have moved on, once a second at most."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from docgraph.model.errors import DocgraphError
from docgraph.model.source_state import SourceState
from docgraph.ports.source_states import BranchKey, IngestedSource, NoSourceStates, SourceStates

_LOG = logging.getLogger("docgraph.sources")
FRESH, USABLE = 1.0, 10.0  # seconds: no new look before, and no use of an old one after


@dataclass(frozen=True, slots=True)
class MonitorLimits:
    """An answer waits `patience` seconds for a look, and then goes without. Sources with more than
    `most_files` are looked at for a status alone, if that `waits` for however long it takes."""

    patience: float
    most_files: int | None
    waits: bool = False


ONE_COMMAND = MonitorLimits(patience=2.0, most_files=20_000, waits=True)
SERVER = MonitorLimits(patience=0.05, most_files=None)  # an earlier look serves the next question


class SourceMonitor:
    def __init__(
        self,
        states: SourceStates | None = None,
        limits: MonitorLimits = ONE_COMMAND,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._states = states or NoSourceStates()
        self._limits = limits
        self._clock = clock
        self._changed = threading.Condition()
        self._latest: dict[BranchKey, tuple[float, SourceState]] = {}
        self._running: set[BranchKey] = set()

    def record(self, key: BranchKey, source: IngestedSource) -> None:
        """An ingest has succeeded, whether this can be written or not."""
        try:
            self._states.record(key, source)
        except OSError as error:
            _LOG.warning("what was ingested cannot be recorded beside the store: %s", error)
        with self._changed:
            self._latest.pop(key, None)

    def find(self, keys: Sequence[BranchKey], *, thorough: bool = False) -> tuple[SourceState, ...]:
        """A `thorough` one is for a status."""
        if thorough and self._limits.waits:
            return tuple(self._look(key, None) for key in keys)
        with self._changed:
            due = [key for key in keys if not self._is_younger(key, FRESH)]
            new = [key for key in due if key not in self._running]
            self._running.update(new)
        if new:
            threading.Thread(target=self._look_at, args=(new,), daemon=True).start()
        with self._changed:
            self._changed.wait_for(
                lambda: not self._running.intersection(due), self._limits.patience
            )
            return tuple(self._known(key) for key in keys)

    def _known(self, key: BranchKey) -> SourceState:
        if self._is_younger(key, USABLE):
            return self._latest[key][1]
        return SourceState(key.repository, key.branch, "unknown")

    def _is_younger(self, key: BranchKey, seconds: float) -> bool:
        return key in self._latest and self._clock() - self._latest[key][0] < seconds

    def _look_at(self, keys: Sequence[BranchKey]) -> None:
        for key in keys:
            found = self._look(key, self._limits.most_files)
            with self._changed:
                self._latest[key] = (self._clock(), found)
                self._running.discard(key)
                self._changed.notify_all()

    def _look(self, key: BranchKey, most_files: int | None) -> SourceState:
        try:
            return self._states.find(key, most_files)
        except (DocgraphError, OSError, ValueError) as error:
            _LOG.info("%s %s: its source is unknown: %s", key.repository, key.branch, error)
            return SourceState(key.repository, key.branch, "unknown")
