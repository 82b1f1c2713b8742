"""A lease that is kept while somebody works: another thread says that they are still here."""

import json
import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from docgraph.ingest.result import Progress
from docgraph.model.digest import plain
from docgraph.ports.cancellation import Deadline

LOG = logging.getLogger("docgraph.ingestions")


@dataclass(slots=True)
class LeaseKeeper:
    """Work is told to stop when the lease is lost, or when it took longer than `longest`; `stuck`
    is called when it has not stopped after the `grace`.

    `renew` takes how far the work is, and seconds that the lease shall last beyond its own.
    """

    renew: Callable[[str, float], bool]
    waiting: Deadline
    stuck: Callable[[], None]
    beat: float
    longest: float
    grace: float
    late: bool = False
    _latest: str = ""

    @contextmanager
    def kept(self) -> Iterator[Callable[[Progress], None]]:
        """Gives what is told how far the work is; it raises when nobody wants it any more."""
        done = threading.Event()
        thread = threading.Thread(target=self._keep, args=(done,), name="lease", daemon=True)
        thread.start()
        try:
            yield self._progressed
        finally:
            done.set()
            thread.join()

    def _progressed(self, now: Progress) -> None:
        self.waiting.check()
        self._latest = json.dumps(plain(now))

    def _keep(self, done: threading.Event) -> None:
        until = time.monotonic() + self.longest
        while not done.wait(self.beat):
            self.late = time.monotonic() > until
            is_ours = self._renewed(self.grace if self.late else 0.0)
            if is_ours and not self.late:
                continue
            self._told_to_stop(is_ours)
            if not done.wait(self.grace):
                self._tried("left behind", self.stuck)
            return

    def _renewed(self, more: float) -> bool:
        """A book that cannot be reached has not said that it is another's."""
        return self._tried("renewed", lambda: self.renew(self._latest, more)) is not False

    def _told_to_stop(self, is_ours: bool) -> None:
        """What sits and waits elsewhere is called back, too."""
        self._tried("called back", self.waiting.expire if is_ours else self.waiting.cancel)

    def _tried(self, what: str, do: Callable[[], object]) -> object:
        try:
            return do()
        except Exception:
            LOG.exception("an ingestion could not be %s", what)
            return None
