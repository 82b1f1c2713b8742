"""Embedding in the background: a thread embeds what ingests have left, branch after branch."""

import threading
import time
from collections.abc import Callable

from docgraph.engine.content import ContentService
from docgraph.model.access import Principal
from docgraph.model.errors import Cancelled
from docgraph.model.snapshot import SnapshotName
from docgraph.ports.cancellation import RepeatedDeadline, deadline_scope
from docgraph.ports.source_states import BranchKey

FIRST_PAUSE, LONGEST_PAUSE = 5.0, 300.0  # seconds until a branch is tried again that failed
LOOK_EVERY = 60.0  # seconds between two looks for what other processes have left


class BackgroundEmbedding:
    """One branch at a time, in the name of `principal_of` its tenant.

    With `looks`, it also finds by itself what is not embedded, in all tenants. `report` gets the
    snapshot that the vectors of a branch were published with, `fail` an error; that branch is tried
    again after a pause.
    """

    def __init__(
        self,
        content: ContentService,
        principal_of: Callable[[str], Principal],
        *,
        looks: bool,
        report: Callable[[SnapshotName], None],
        fail: Callable[[BranchKey, Exception], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._content = content
        self._principal_of = principal_of
        self._report = report
        self._fail = fail
        self._clock = clock
        self._look_at: float | None = 0.0 if looks else None
        self._requested: dict[BranchKey, float] = {}  # and from when on
        self._failures: dict[BranchKey, int] = {}
        self._changed = threading.Condition()
        self._deadline = RepeatedDeadline()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="embedding", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def request(self, branch: BranchKey) -> None:
        with self._changed:
            self._requested[branch] = 0.0
            self._changed.notify()

    def begin_stop(self) -> None:
        """What is being computed ends within about a second, and what was stored stays."""
        with self._changed:
            self._stopping = True
            self._changed.notify()
        self._deadline.cancel()

    def stop(self, seconds: float | None = None) -> bool:
        """False if it takes longer than that."""
        self.begin_stop()
        if self._thread.is_alive():
            self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        with deadline_scope(self._deadline):
            while (branch := self._next()) is not None:
                self._embed(branch)

    def _next(self) -> BranchKey | None:
        """The next branch that is due; None at the end."""
        with self._changed:
            while not self._stopping:
                now = self._clock()
                self._look(now)
                due = [one for one, start in self._requested.items() if start <= now]
                if due:
                    del self._requested[due[0]]
                    return due[0]
                starts = [*self._requested.values(), self._look_at]
                waits = [start - now for start in starts if start is not None]
                self._changed.wait(min(waits, default=None))
        return None

    def _look(self, now: float) -> None:
        if self._look_at is None or self._look_at > now:
            return
        self._look_at = now + LOOK_EVERY
        try:
            for branch in self._content.store.unembedded_branches():
                self._requested.setdefault(branch, now)
        except Exception as error:  # noqa: BLE001  reported, and tried again
            self._fail(BranchKey("", "", ""), error)

    def _embed(self, branch: BranchKey) -> None:
        try:
            principal = self._principal_of(branch.tenant)
            result = self._content.embed(principal, branch.repository, branch.branch)
        except Cancelled:
            return
        except Exception as error:  # noqa: BLE001  reported, and tried again
            failures = self._failures[branch] = self._failures.get(branch, 0) + 1
            pause = min(FIRST_PAUSE * 2 ** (failures - 1), LONGEST_PAUSE)
            with self._changed:
                self._requested[branch] = self._clock() + pause
            if failures == 1:
                self._fail(branch, error)
            return
        self._failures.pop(branch, None)
        if result.snapshot is not None:
            self._report(result.snapshot)
