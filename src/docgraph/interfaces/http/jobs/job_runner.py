"""The runner: takes requested ingestions one after the other, and never leaves one stuck.

What it works on is leased from the book. Whoever finds a lease that has ended takes over, so that
an ingestion outlives the server that began it.
"""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

from docgraph.ingest.result import Progress
from docgraph.interfaces.http.jobs.lease import LeaseKeeper
from docgraph.interfaces.http.problems import refusal_of
from docgraph.interfaces.http.responses import as_json
from docgraph.model.errors import DocgraphError, GivenUp, TookTooLong
from docgraph.model.ingest_job import IngestJob
from docgraph.ports.cancellation import Deadline, deadline_scope
from docgraph.ports.job_queue import IngestJobQueue

LOG = logging.getLogger("docgraph.ingestions")
MOST_ATTEMPTS = 3
PAUSE = 2.0
BEAT = 1.0  # seconds from one sign of life to the next
GRACE = 2.0  # seconds for a step that is on its way, when it has to end
LONGEST = 21_600.0
TakeIn = Callable[[IngestJob, Callable[[Progress], None]], object]


@dataclass(frozen=True, slots=True)
class _Work:
    """`owner` is another for each: what was left behind must not speak for what was begun anew."""

    ingestion: IngestJob
    owner: str
    waiting: Deadline


class JobRunner:
    """`ended` hears how each one ended. Times are in seconds; `longest` is what one may take."""

    def __init__(
        self,
        book: IngestJobQueue,
        ingest_source: TakeIn,
        *,
        owner: str,
        lease: float,
        longest: float = LONGEST,
        ended: Callable[[str], None] = lambda _: None,
        pause: float = PAUSE,
        beat: float = BEAT,
    ) -> None:
        self._book = book
        self._take_in = ingest_source
        self._owner = owner
        self._ended = ended
        self._lease = lease
        self._longest = longest
        self._pause = pause
        self._beat = min(beat, lease / 3)
        self._stopping = threading.Event()
        self._wanted = threading.Event()
        self._numbers = count(1)
        self._current: _Work | None = None
        self._thread = self._new_thread()

    def start(self) -> None:
        self._thread.start()

    def wake(self) -> None:
        """There may be something to do."""
        self._wanted.set()

    def take_no_more(self) -> None:
        self._stopping.set()
        self._wanted.set()

    def stop(self, seconds: float) -> None:
        """What cannot be finished in that time goes back, for whoever comes next; what does not
        even stop, as an attempt that counts."""
        self.take_no_more()
        thread = self._thread
        if not thread.is_alive():
            return
        thread.join(seconds)
        current = self._current
        if current is None or not thread.is_alive():
            return
        current.waiting.cancel()
        thread.join(GRACE)
        if thread.is_alive():
            self._book.release(current.ingestion.id, current.owner, counted=True)

    def _new_thread(self) -> threading.Thread:
        return threading.Thread(target=self._run, name="ingestions", daemon=True)

    def _run(self) -> None:
        while not self._stopping.is_set() and self._thread is threading.current_thread():
            try:
                owner = f"{self._owner}-{next(self._numbers)}"
                found = self._book.claim(owner, self._lease)
                if found is not None:
                    self._work_on(_Work(found, owner, Deadline(self._longest)))
                    continue
            except Exception:
                LOG.exception("the book of ingestions cannot be used; trying again")
            self._wanted.wait(self._pause)
            self._wanted.clear()

    def _work_on(self, work: _Work) -> None:
        ingestion = work.ingestion
        if ingestion.attempts > MOST_ATTEMPTS:
            words = (
                f"begun {MOST_ATTEMPTS} times, and its server ended each time before it was done"
            )
            self._finish(work, error=words)
            return
        self._current = work
        kept = self._lease_of(work)
        try:
            with kept.kept() as progress, deadline_scope(work.waiting):
                result = as_json(self._take_in(ingestion, progress)).decode()
        except Exception as error:  # noqa: BLE001  each is told in words, and logged
            self._not_done(work, error, late=kept.late)
        else:
            self._finish(work, result=result)
        finally:
            if self._current is work:
                self._current = None

    def _lease_of(self, work: _Work) -> LeaseKeeper:
        return LeaseKeeper(
            lambda told, more: self._book.renew(
                work.ingestion.id, work.owner, self._lease + more, told
            ),
            work.waiting,
            stuck=lambda: self._leave_behind(work),
            beat=self._beat,
            longest=self._longest,
            grace=GRACE,
        )

    def _not_done(self, work: _Work, error: Exception, *, late: bool) -> None:
        """Whatever it broke off with when its time was over, that it was over is why."""
        if late or isinstance(error, TookTooLong):
            LOG.warning("%s: given up: %s: %s", work.ingestion.id, type(error).__name__, error)
            self._finish(work, error=self._too_long)
        elif isinstance(error, GivenUp):
            if self._book.release(work.ingestion.id, work.owner):
                LOG.info("%s: put back", work.ingestion.id)
        elif isinstance(error, DocgraphError):
            LOG.warning("%s: %s: %s", work.ingestion.id, type(error).__name__, error)
            self._finish(work, error=_words(error))
        else:
            LOG.error("%s: unforeseen", work.ingestion.id, exc_info=error)
            words = "something went wrong; the server's log tells more under this id"
            self._finish(work, error=words)

    @property
    def _too_long(self) -> str:
        return f"given up: it took longer than {self._longest:g} seconds"

    def _leave_behind(self, work: _Work) -> None:
        """Its thread cannot be stopped. What it does changes nothing any more; others go on."""
        LOG.error("%s: does not stop; its thread is left behind", work.ingestion.id)
        self._current = None
        self._thread = self._new_thread()
        try:
            self._finish(work, error=self._too_long)
        finally:
            if not self._stopping.is_set():
                self._thread.start()

    def _finish(self, work: _Work, *, result: str = "", error: str = "") -> None:
        if self._book.finish(work.ingestion.id, work.owner, result=result, error=error):
            self._ended("failed" if error else "succeeded")
            LOG.info("%s: %s", work.ingestion.id, "failed" if error else "succeeded")


def _words(error: DocgraphError) -> str:
    """Where a store or a model's server lies is for the log alone."""
    refusal = refusal_of(error)
    return (refusal.words if refusal else "") or str(error) or type(error).__name__
