"""How the work grows with the input: a ratio of two measurements, never a time."""

import ctypes
import gc
import math
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

TIMES = 8
LINEAR = 3 * TIMES  # three times what is due; work that grows with the square takes 64
DOUBLINGS = 4
LARGER = 2**DOUBLINGS
SUSPECT = 3 * LARGER  # work that grows with the square takes 256
ENDLESS_SECONDS = 2.0  # of CPU time, for a measurement that honest work ends in less than one
_RETRIES = 2
_MIN_SECONDS = 1e-5  # clocks of threads are not exact below, on some machines
_MIN_PEAK_BYTES = 2**20
_PEAK = Path("/proc/self/clear_refs")
Pair = tuple[float, float]


def growth(work: Callable[[int], object], size: int) -> float:
    """How many times longer the work takes for an input eight times as long."""
    return _least(work, TIMES * size) / _least(work, size)


Work = Callable[[int], Callable[[], object]]


def growth_problem(work: Work, size: int) -> str:
    """Why the CPU time grows faster than its input over four doublings; empty if it does not.

    `work` makes an input of a size, which is not measured, and returns what reads it. Inputs four
    and sixteen times as long decide where the ratio is too high: noise, fixed costs and what a
    limit stops do not grow on.
    """
    problem = ""
    for shortest in (size, 4 * size, 16 * size):
        small, large = _least_seconds(work(shortest), work(LARGER * shortest))
        if large < SUSPECT * small:
            return ""
        problem = f"{small * 1e3:,.3f} -> {large * 1e3:,.3f} ms, {shortest:,} to 16x"
        if not large < 3 * SUSPECT * small:
            break
    return problem


def growth_or_memory_problem(work: Work, size: int) -> str:
    """The same for the memory of this process, C libraries included, where it is counted."""
    peaks: list[int] = []

    def watched(many: int) -> Callable[[], object]:
        read = work(many)
        is_first = many == LARGER * size and not peaks and can_measure_memory()
        return (
            (lambda: peaks.append(_peak_bytes(read)) if not peaks else read()) if is_first else read
        )

    problem = growth_problem(watched, size)
    is_much = bool(peaks) and peaks[0] > SUSPECT * _MIN_PEAK_BYTES
    return problem or (memory_problem(work, size) if is_much else "")


def memory_problem(work: Work, size: int) -> str:
    """Inputs four times as long decide where the ratio is too high. What the process has freed and
    still holds would hide a small peak: it is given back to the system before each measurement.
    """
    problem = ""
    for shortest in (size, 4 * size):
        sizes = (shortest, LARGER * shortest)
        small, large = (max(_peak_after_release(work(many)), _MIN_PEAK_BYTES) for many in sizes)
        if large <= SUSPECT * small:
            return ""
        problem = f"{small:,} -> {large:,} bytes, {shortest:,} to 16x"
    return problem


def _least_seconds(read_small: Callable[[], object], read_large: Callable[[], object]) -> Pair:
    """Measured again where the ratio is suspicious."""
    small = _cpu_seconds(read_small)
    if small == math.inf:
        return small, small
    small, large = min(small, _cpu_seconds(read_small)), _cpu_seconds(read_large)
    for _ in range(_RETRIES):
        if large < SUSPECT * small or large == math.inf:
            break
        small, large = min(small, _cpu_seconds(read_small)), min(large, _cpu_seconds(read_large))
    return small, large


class _EndlessError(Exception):
    pass


@contextmanager
def _cpu_limit() -> Iterator[None]:
    """Ends work of the interpreter and of regular expressions, which would take for ever."""

    def end_work(_: int, __: FrameType | None) -> None:
        raise _EndlessError

    before = signal.signal(signal.SIGPROF, end_work)
    signal.setitimer(signal.ITIMER_PROF, ENDLESS_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _cpu_seconds(read: Callable[[], object]) -> float:
    """Without the collector of cycles: what it visits is of the whole process."""
    gc.disable()
    began = time.thread_time()
    try:
        with _cpu_limit():
            read()
    except _EndlessError:
        return math.inf
    finally:
        gc.enable()
    return max(time.thread_time() - began, _MIN_SECONDS)


def _peak_bytes(read: Callable[[], object]) -> int:
    """By how much the process grows meanwhile; its highest size is counted anew from now."""
    _PEAK.write_text("5", encoding="ascii")
    before = _status("VmRSS")
    read()
    return _status("VmHWM") - before


def _peak_after_release(read: Callable[[], object]) -> int:
    """Where the C library is glibc; another may hold free memory."""
    gc.collect()
    release = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if release is not None:
        release(0)
    return _peak_bytes(read)


def can_measure_memory() -> bool:
    return _PEAK.exists()


def _status(name: str) -> int:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))


def _least(work: Callable[[int], object], size: int) -> float:
    return max(min(_seconds(work, size) for _ in range(5)), 1e-6)


def _seconds(work: Callable[[int], object], size: int) -> float:
    began = time.process_time()
    work(size)
    return time.process_time() - began
