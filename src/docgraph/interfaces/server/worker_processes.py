"""Worker processes of one server: started, watched, restarted, and ended together."""

import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess

from docgraph.model.errors import DocgraphError

LOG = logging.getLogger("docgraph.workers")
PAUSE = 1.0  # seconds until a worker is started again that ended before it served
MARGIN = 10.0  # seconds beyond the time to drain for what a process does at its end
Target = Callable[[Connection], None]
ENDED = (0, -signal.SIGTERM)  # exit codes; the latter of a process that was still starting
_SPAWN = get_context("spawn")  # a fork would copy threads and locks


@dataclass(slots=True)
class _Worker:
    """`has_served` is of its number, `serves` of the process that it has now."""

    target: Target
    process: SpawnProcess | None = None
    reports: Connection | None = None
    serves: bool = False
    has_served: bool = False
    start_at: float = 0.0


class WorkerProcesses:
    """One process for each target, which gets a connection: through it, it sends None once it
    serves, or the error that ends it.

    A process that ends later is started again. One that ends before its number ever served ends
    them all. `ended` gets the id of each process that has ended.
    """

    def __init__(self, targets: Sequence[Target], ended: Callable[[int], None]) -> None:
        self._workers = [_Worker(target) for target in targets]
        self._ended = ended

    def run(
        self, on_serving: Callable[[], None], on_stop: Callable[[], None], drain: float
    ) -> None:
        """Until SIGTERM or SIGINT. `on_serving` is called once all of them serve, `on_stop` before
        they are sent SIGTERM; they have `drain` seconds. A second SIGINT ends them at once."""
        with _signals() as signals:
            try:
                self._watch(signals, on_serving)
            finally:
                on_stop()
                late = self._end(signals, drain + MARGIN)
        if late:
            raise DocgraphError(
                f"{late} of {len(self._workers)} processes did not finish their requests in time"
            )

    def _watch(self, signals: Connection, on_serving: Callable[[], None]) -> None:
        reported = False
        while True:
            for worker in self._workers:
                if worker.process is None and worker.start_at <= time.monotonic():
                    self._start(worker)
            ready = wait([signals, *self._events()], self._pause())
            if signals in ready:
                signals.recv()
                return
            for worker in self._workers:
                self._handle(worker, ready)
            if not reported and all(worker.has_served for worker in self._workers):
                reported = True
                on_serving()

    def _start(self, worker: _Worker) -> None:
        worker.reports, reports = _SPAWN.Pipe(duplex=False)
        worker.serves = False
        worker.process = _SPAWN.Process(target=worker.target, args=(reports,))
        with _no_interrupts():
            worker.process.start()
        reports.close()

    def _events(self) -> Iterator[Connection | int]:
        for worker in self._workers:
            if worker.reports is not None:
                yield worker.reports
            if worker.process is not None:
                yield worker.process.sentinel

    def _pause(self) -> float | None:
        """Seconds until the next start."""
        starts = [worker.start_at for worker in self._workers if worker.process is None]
        return max(0.0, min(starts) - time.monotonic()) if starts else None

    def _handle(self, worker: _Worker, ready: Sequence[object]) -> None:
        """What it reports comes before its end."""
        process = worker.process
        if worker.reports in ready:
            self._read(worker)
        if process is None or process.sentinel not in ready:
            return
        while worker.reports is not None:
            self._read(worker)
        process.join()
        self._close(worker)
        number = self._workers.index(worker)
        if not worker.has_served:
            raise DocgraphError(
                f"process {number} ended with exit code {process.exitcode} before it served; "
                "the lines above say why"
            )
        LOG.warning(
            "process %d of this server ended with exit code %s; it is started again",
            *(number, process.exitcode),
        )
        worker.start_at = time.monotonic() + (0.0 if worker.serves else PAUSE)

    def _read(self, worker: _Worker) -> None:
        assert worker.reports is not None
        try:
            error: Exception | None = worker.reports.recv()
        except (EOFError, OSError):  # its process has ended, or is about to
            worker.reports.close()
            worker.reports = None
            return
        if error is None:
            worker.serves = worker.has_served = True
            assert worker.process is not None
            number = self._workers.index(worker)
            LOG.info("process %d of this server has the id %s", number, worker.process.pid)
        elif not worker.has_served:
            raise error
        else:
            LOG.error("%s", error)

    def _close(self, worker: _Worker) -> None:
        assert worker.process is not None
        assert worker.process.pid is not None
        if worker.reports is not None:
            worker.reports.close()
        self._ended(worker.process.pid)
        worker.process = worker.reports = None

    def _end(self, signals: Connection, seconds: float) -> int:
        """How many did not end in good order."""
        processes = [worker.process for worker in self._workers if worker.process is not None]
        for process in processes:
            process.terminate()
        running = {process.sentinel: process for process in processes}
        until = time.monotonic() + seconds
        while running and (left := until - time.monotonic()) > 0:
            ready = wait([signals, *running], left)
            if signals in ready and signals.recv() == signal.SIGINT:
                break
            for sentinel in running.keys() & set(ready):
                running.pop(sentinel).join()
        for process in running.values():
            process.kill()
            process.join()
        return sum(process.exitcode not in ENDED for process in processes)


@contextmanager
def _signals() -> Iterator[Connection]:
    """SIGTERM and SIGINT, as they come."""
    reader, writer = _SPAWN.Pipe(duplex=False)
    before = {
        number: signal.signal(number, lambda number, _: writer.send(number))
        for number in (signal.SIGTERM, signal.SIGINT)
    }
    try:
        yield reader
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        reader.close()
        writer.close()


@contextmanager
def _no_interrupts() -> Iterator[None]:
    """A process that is started meanwhile never gets a SIGINT: Ctrl-C is its parent's affair."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def has_parent() -> bool:
    """In a worker: whether the process that started it still runs."""
    parent = parent_process()
    return parent is not None and parent.is_alive()


def end_with_parent() -> None:
    """In a worker: once its parent has ended, for whatever reason, it drains as on SIGTERM."""
    parent = parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="parent", daemon=True).start()
