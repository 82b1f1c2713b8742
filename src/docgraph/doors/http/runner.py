"""The runner: takes requested ingestions one after the other, and never leaves one stuck.

What it works on is leased from the book. Whoever finds a lease that has ended takes over, so that
an ingestion outlives the server that began it.
"""

import json
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from docgraph.doors.http.as_json import as_json
from docgraph.doors.http.refusal import refusal_of
from docgraph.ingest.result import Progress
from docgraph.model.digest import plain
from docgraph.model.errors import DocgraphError, GivenUp
from docgraph.model.ingestion import Ingestion
from docgraph.ports.ingestions import Ingestions
from docgraph.ports.waiting import Waiting, waited_for

LOG = logging.getLogger("docgraph.ingestions")
MOST_ATTEMPTS = 3
PAUSE = 2.0
BEAT = 1.0  # seconds from one sign of life to the next
GRACE = 2.0  # seconds for a step that is on its way, when the server has to end
TakeIn = Callable[[Ingestion, Callable[[Progress], None]], object]


class Runner:
    """`ended` hears how each one ended. Times are in seconds."""

    def __init__(
        self,
        book: Ingestions,
        take_in: TakeIn,
        *,
        owner: str,
        lease: float,
        ended: Callable[[str], None] = lambda _: None,
        pause: float = PAUSE,
        beat: float = BEAT,
    ) -> None:
        self._book = book
        self._take_in = take_in
        self._owner = owner
        self._ended = ended
        self._lease = lease
        self._pause = pause
        self._beat = min(beat, lease / 3)
        self._stopping = threading.Event()
        self._wanted = threading.Event()
        self._current: tuple[Ingestion, Waiting] | None = None
        self._thread = threading.Thread(target=self._run, name="ingestions", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def wake(self) -> None:
        """There may be something to do."""
        self._wanted.set()

    def take_no_more(self) -> None:
        self._stopping.set()
        self._wanted.set()

    def stop(self, seconds: float) -> None:
        """What cannot be finished in that time goes back, for whoever comes next."""
        self.take_no_more()
        if not self._thread.is_alive():
            return
        self._thread.join(seconds)
        current = self._current
        if current is None or not self._thread.is_alive():
            return
        ingestion, waiting = current
        waiting.give_up()
        self._thread.join(GRACE)
        if self._thread.is_alive():
            self._book.release(ingestion.id, self._owner)

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                found = self._book.claim(self._owner, self._lease)
                if found is not None:
                    self._work_on(found)
                    continue
            except Exception:
                LOG.exception("the book of ingestions cannot be used; trying again")
            self._wanted.wait(self._pause)
            self._wanted.clear()

    def _work_on(self, ingestion: Ingestion) -> None:
        if ingestion.attempts > MOST_ATTEMPTS:
            words = (
                f"begun {MOST_ATTEMPTS} times, and its server ended each time before it was done"
            )
            self._finish(ingestion, error=words)
            return
        waiting = Waiting()
        self._current = (ingestion, waiting)
        try:
            with self._renewed(ingestion, waiting) as progress, waited_for(waiting):
                result = as_json(self._take_in(ingestion, progress)).decode()
        except GivenUp:
            if self._book.release(ingestion.id, self._owner):
                LOG.info("%s: put back", ingestion.id)
        except DocgraphError as error:
            LOG.warning("%s: %s: %s", ingestion.id, type(error).__name__, error)
            self._finish(ingestion, error=_words(error))
        except Exception:
            LOG.exception("%s: unforeseen", ingestion.id)
            words = "something went wrong; the server's log tells more under this id"
            self._finish(ingestion, error=words)
        else:
            self._finish(ingestion, result=result)
        finally:
            self._current = None

    def _finish(self, ingestion: Ingestion, *, result: str = "", error: str = "") -> None:
        if self._book.finish(ingestion.id, self._owner, result=result, error=error):
            self._ended("failed" if error else "succeeded")
            LOG.info("%s: %s", ingestion.id, "failed" if error else "succeeded")

    @contextmanager
    def _renewed(
        self, ingestion: Ingestion, waiting: Waiting
    ) -> Iterator[Callable[[Progress], None]]:
        """Another thread says that we are still here, and how far; where it is not ours any more,
        we stop."""
        latest = [""]
        done = threading.Event()

        def progressed(now: Progress) -> None:
            waiting.check()
            latest[0] = json.dumps(plain(now))

        def renew() -> None:
            while not done.wait(self._beat):
                try:
                    if not self._book.renew(ingestion.id, self._owner, self._lease, latest[0]):
                        waiting.give_up()
                        return
                except Exception:
                    LOG.exception("%s: not renewed; trying again", ingestion.id)

        thread = threading.Thread(target=renew, name="lease", daemon=True)
        thread.start()
        try:
            yield progressed
        finally:
            done.set()
            thread.join()


def _words(error: DocgraphError) -> str:
    """Where a store or a model's server lies is for the log alone."""
    refusal = refusal_of(error)
    return (refusal.words if refusal else "") or str(error) or type(error).__name__
