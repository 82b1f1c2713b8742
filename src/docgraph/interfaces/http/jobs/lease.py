"""A lease that a thread renews while a job runs."""

import json
import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from docgraph.ingest.progress import Progress, ProgressEvent, ReportProgress
from docgraph.model.digest import plain
from docgraph.ports.cancellation import Deadline

LOG = logging.getLogger("docgraph.ingestions")


@dataclass(slots=True)
class LeaseKeeper:
    """Work is cancelled when the lease is lost, or after `longest`; `stuck` is called when it has
    not stopped after the `grace`.

    `renew` takes the progress, and seconds that the lease shall last beyond its own.
    """

    renew: Callable[[str, float], bool]
    deadline: Deadline
    stuck: Callable[[], None]
    beat: float
    longest: float
    grace: float
    late: bool = False
    _latest: str = ""

    @contextmanager
    def renewing(self) -> Iterator[ReportProgress]:
        """Gives a function that takes the progress; it raises once the work is cancelled."""
        done = threading.Event()
        thread = threading.Thread(target=self._renew_until, args=(done,), name="lease", daemon=True)
        thread.start()
        try:
            yield self._set_progress
        finally:
            done.set()
            thread.join()

    def _set_progress(self, now: ProgressEvent) -> None:
        self.deadline.check()
        if isinstance(now, Progress):
            self._latest = json.dumps(plain(now))

    def _renew_until(self, done: threading.Event) -> None:
        until = time.monotonic() + self.longest
        while not done.wait(self.beat):
            self.late = time.monotonic() > until
            is_ours = self._renew(self.grace if self.late else 0.0)
            if is_ours and not self.late:
                continue
            self._stop(is_ours)
            if not done.wait(self.grace):
                self._try("abandoned", self.stuck)
            return

    def _renew(self, more: float) -> bool:
        """A queue that cannot be reached has not said that the lease is lost."""
        return self._try("renewed", lambda: self.renew(self._latest, more)) is not False

    def _stop(self, is_ours: bool) -> None:
        """Also wakes work that waits elsewhere."""
        self._try("cancelled", self.deadline.expire if is_ours else self.deadline.cancel)

    def _try(self, what: str, do: Callable[[], object]) -> object:
        try:
            return do()
        except Exception:
            LOG.exception("an ingestion could not be %s", what)
            return None
