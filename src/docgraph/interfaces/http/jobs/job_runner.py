"""Runs ingest jobs one after the other.

A job is leased from the queue. A server that finds an expired lease takes the job over, so that a
job outlives the server that began it.
"""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

from docgraph.ingest.progress import ReportProgress
from docgraph.interfaces.http.jobs.lease import LeaseKeeper
from docgraph.interfaces.http.problems import refusal_of
from docgraph.interfaces.http.responses import as_json
from docgraph.model.errors import Cancelled, DeadlineExceeded, DocgraphError
from docgraph.model.ingest_job import IngestJob
from docgraph.ports.cancellation import Deadline, deadline_scope
from docgraph.ports.job_queue import IngestJobQueue

LOG = logging.getLogger("docgraph.ingestions")
MOST_ATTEMPTS = 3
PAUSE = 2.0
BEAT = 1.0  # seconds between two renewals of a lease
GRACE = 2.0  # seconds for the current step, when the work has to end
LONGEST = 21_600.0
JobHandler = Callable[[IngestJob, ReportProgress], object]


@dataclass(frozen=True, slots=True)
class _Work:
    """`owner` is new for each attempt: an abandoned one must not report for the next."""

    job: IngestJob
    owner: str
    deadline: Deadline


class JobRunner:
    """`ended` is called with each outcome. Times are in seconds; `longest` is that of one job."""

    def __init__(
        self,
        queue: IngestJobQueue,
        handle: JobHandler,
        *,
        owner: str,
        lease: float,
        longest: float = LONGEST,
        ended: Callable[[str], None] = lambda _: None,
        pause: float = PAUSE,
        beat: float = BEAT,
    ) -> None:
        self._queue = queue
        self._handle = handle
        self._owner = owner
        self._ended = ended
        self._lease = lease
        self._longest = longest
        self._pause = pause
        self._beat = min(beat, lease / 3)
        self._stopping = threading.Event()
        self._woken = threading.Event()
        self._numbers = count(1)
        self._current: _Work | None = None
        self._thread = self._new_thread()

    def start(self) -> None:
        self._thread.start()

    def wake(self) -> None:
        """A job may be waiting."""
        self._woken.set()

    def stop_claiming(self) -> None:
        self._stopping.set()
        self._woken.set()

    def stop(self, seconds: float) -> None:
        """A job that is not finished in that time goes back to the queue; one that does not stop
        either counts as an attempt."""
        self.stop_claiming()
        thread = self._thread
        if not thread.is_alive():
            return
        thread.join(seconds)
        current = self._current
        if current is None or not thread.is_alive():
            return
        current.deadline.cancel()
        thread.join(GRACE)
        if thread.is_alive():
            self._queue.release(current.job.id, current.owner, counted=True)

    def _new_thread(self) -> threading.Thread:
        return threading.Thread(target=self._run, name="ingestions", daemon=True)

    def _run(self) -> None:
        while not self._stopping.is_set() and self._thread is threading.current_thread():
            try:
                owner = f"{self._owner}-{next(self._numbers)}"
                found = self._queue.claim(owner, self._lease)
                if found is not None:
                    self._work_on(_Work(found, owner, Deadline(self._longest)))
                    continue
            except Exception:
                LOG.exception("the queue of ingest jobs cannot be used; trying again")
            self._woken.wait(self._pause)
            self._woken.clear()

    def _work_on(self, work: _Work) -> None:
        job = work.job
        if job.attempts > MOST_ATTEMPTS:
            message = (
                f"begun {MOST_ATTEMPTS} times, and its server ended each time before it was done"
            )
            self._finish(work, error=message)
            return
        self._current = work
        lease = self._lease_of(work)
        try:
            with lease.renewing() as progress, deadline_scope(work.deadline):
                result = as_json(self._handle(job, progress)).decode()
        except Exception as error:  # noqa: BLE001  each becomes a message, and is logged
            self._handle_failure(work, error, late=lease.late)
        else:
            self._finish(work, result=result)
        finally:
            if self._current is work:
                self._current = None

    def _lease_of(self, work: _Work) -> LeaseKeeper:
        return LeaseKeeper(
            lambda progress, more: self._queue.renew(
                work.job.id, work.owner, self._lease + more, progress
            ),
            work.deadline,
            stuck=lambda: self._abandon(work),
            beat=self._beat,
            longest=self._longest,
            grace=GRACE,
        )

    def _handle_failure(self, work: _Work, error: Exception, *, late: bool) -> None:
        """Any error after the deadline counts as the deadline's."""
        if late or isinstance(error, DeadlineExceeded):
            LOG.warning("%s: given up: %s: %s", work.job.id, type(error).__name__, error)
            self._finish(work, error=self._too_long)
        elif isinstance(error, Cancelled):
            if self._queue.release(work.job.id, work.owner):
                LOG.info("%s: put back", work.job.id)
        elif isinstance(error, DocgraphError):
            LOG.warning("%s: %s: %s", work.job.id, type(error).__name__, error)
            self._finish(work, error=_message(error))
        else:
            LOG.error("%s: unexpected", work.job.id, exc_info=error)
            message = "something went wrong; the server's log tells more under this id"
            self._finish(work, error=message)

    @property
    def _too_long(self) -> str:
        return f"given up: it took longer than {self._longest:g} seconds"

    def _abandon(self, work: _Work) -> None:
        """Its thread cannot be stopped, but has no effect any more; another one goes on."""
        LOG.error("%s: does not stop; its thread is abandoned", work.job.id)
        self._current = None
        self._thread = self._new_thread()
        try:
            self._finish(work, error=self._too_long)
        finally:
            if not self._stopping.is_set():
                self._thread.start()

    def _finish(self, work: _Work, *, result: str = "", error: str = "") -> None:
        if self._queue.finish(work.job.id, work.owner, result=result, error=error):
            self._ended("failed" if error else "succeeded")
            LOG.info("%s: %s", work.job.id, "failed" if error else "succeeded")


def _message(error: DocgraphError) -> str:
    """Without the position of a store or a model's server, which is for the log alone."""
    refusal = refusal_of(error)
    return (refusal.message if refusal else "") or str(error) or type(error).__name__
