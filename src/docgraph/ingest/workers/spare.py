"""One idle worker process, kept for the next ingest of this process for a while."""

import atexit
import os
import sys
import threading

from docgraph.ingest.workers.limits import MEBIBYTE, memory_of
from docgraph.ingest.workers.process import WorkerProcess
from docgraph.ingest.workers.worker import WorkerSettings

SECONDS = 60.0
MAX_MEMORY = 256 * MEBIBYTE


def can_be_kept(process: WorkerProcess) -> bool:
    """One that has grown would hold memory for nothing."""
    return process.is_alive() and memory_of(process.pid) <= MAX_MEMORY


class SpareWorker:
    """Taken if it has the same settings and the same modules to load, else replaced."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._kept: tuple[object, WorkerProcess, threading.Timer] | None = None

    def take(self, settings: WorkerSettings) -> WorkerProcess | None:
        with self._lock:
            if self._kept is None or self._kept[0] != _key_of(settings):
                return None
            _, process, timer = self._kept
            self._kept = None
        timer.cancel()
        if process.is_alive():
            return process
        process.close()
        return None

    def keep(self, process: WorkerProcess) -> None:
        timer = threading.Timer(self._seconds, self._expire, (process,))
        timer.daemon = True
        with self._lock:
            before, self._kept = self._kept, (_key_of(process.settings), process, timer)
        timer.start()
        if before is not None:
            before[2].cancel()
            before[1].close()

    def close(self) -> None:
        with self._lock:
            before, self._kept = self._kept, None
        if before is not None:
            before[2].cancel()
            before[1].close()

    def forget(self) -> None:
        """In a fork of this process; it has no thread but the one that runs here."""
        self._lock = threading.Lock()
        before, self._kept = self._kept, None
        if before is not None:
            before[1].forget()

    def _expire(self, process: WorkerProcess) -> None:
        with self._lock:
            if self._kept is None or self._kept[1] is not process:
                return
            self._kept = None
        process.close()


def _key_of(settings: WorkerSettings) -> object:
    """What the process was started with, and finds its modules by."""
    return settings, tuple(sys.path), tuple(sorted(os.environ.items()))


SPARE = SpareWorker()
atexit.register(SPARE.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=SPARE.forget)
