"""Ends workers that the kernel does not: those that wait for ever, or evade their CPU limit."""

import threading
import time
from collections.abc import Callable, Iterable

from docgraph.ingest.workers.limits import ParserLimits, cpu_time_of
from docgraph.ingest.workers.process import WorkerProcess, exceeded_cpu_time

PERIOD = 0.5  # seconds between two looks
GRACE = 2.0  # seconds of CPU time beyond the limit, in which the kernel acts first
LEAST_SHARE = 0.01  # of a core; who gets less, waits
# Where CPU time cannot be read, elapsed time counts: so many times the limit.
ELAPSED_FACTOR = 10


class Watchdog:
    """Looks at the `busy` workers; each is measured from when it was first seen on its file."""

    def __init__(self, limits: ParserLimits, busy: Callable[[], Iterable[WorkerProcess]]) -> None:
        self._limits = limits
        self._busy = busy
        self._since: dict[tuple[int, int], tuple[float, float | None]] = {}
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="parser-watchdog", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while not self._stopped.wait(PERIOD):
            seen = {}
            for process in self._busy():
                key = (process.pid, process.answered)
                now = (time.monotonic(), cpu_time_of(process.pid))
                seen[key] = before = self._since.get(key, now)
                if reason := find_excess(self._limits, before, now):
                    process.kill(reason)
            self._since = seen


def find_excess(
    limits: ParserLimits, before: tuple[float, float | None], now: tuple[float, float | None]
) -> str:
    """Both are a time and the CPU time that had been used then; empty if nothing is exceeded."""
    elapsed = now[0] - before[0]
    if before[1] is None or now[1] is None:
        longest = limits.cpu_seconds * ELAPSED_FACTOR
        return f"parser took longer than {longest} s" if elapsed > longest else ""
    used = now[1] - before[1]
    if used > limits.cpu_seconds + GRACE:
        return exceeded_cpu_time(limits)
    if elapsed > limits.cpu_seconds and used < elapsed * LEAST_SHARE:
        return f"parser waited for {limits.cpu_seconds} s without using the CPU"
    return ""
