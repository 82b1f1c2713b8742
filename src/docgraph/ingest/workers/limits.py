"""The limits of a worker process: what it sets on itself, and what its parent can see of it.

Linux enforces all of them. Elsewhere `missing_limits` says which are not in force.
"""

import os
import select
import signal
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

if sys.platform != "win32":
    import fcntl
    import resource

MEBIBYTE = 2**20


@dataclass(frozen=True, slots=True)
class ParserLimits:
    """`memory_mib` is the address space of a worker, `cpu_seconds` are for each file."""

    memory_mib: int = 1024
    cpu_seconds: int = 60


# What a system cannot limit; on macOS and other Unix systems the memory.
_MISSING = {"linux": (), "win32": ("memory", "CPU time")}


def missing_limits(platform: str = sys.platform) -> tuple[str, ...]:
    return _MISSING.get(platform, ("memory",))


def limit_memory(limits: ParserLimits) -> None:
    """For good; no core is written, which would hold what the file holds."""
    if sys.platform == "win32":
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        most = _at_most(limits.memory_mib * MEBIBYTE, hard)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def limit_cpu_time(limits: ParserLimits) -> None:
    """Of the next file; the kernel ends the process with SIGXCPU."""
    if sys.platform != "win32":
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        most = _at_most(int(time.process_time()) + 1 + limits.cpu_seconds, hard)
        resource.setrlimit(resource.RLIMIT_CPU, (most, hard))


def _at_most(requested: int, hard: int) -> int:
    """`hard` is -1 where there is none."""
    return requested if hard < 0 else min(requested, hard)


def end_with_parent(lifeline: int) -> None:
    """`lifeline` is the end of a pipe whose other end the parent holds open as long as it lives.

    On Linux the kernel itself kills this process and its children then, whatever they do.
    """
    if sys.platform == "linux":
        fcntl.fcntl(lifeline, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
        flags = fcntl.fcntl(lifeline, fcntl.F_GETFL)
        fcntl.fcntl(lifeline, fcntl.F_SETFL, flags | os.O_ASYNC)
        if select.select([lifeline], [], [], 0)[0]:
            os._exit(0)  # it ended before
    else:
        threading.Thread(target=_exit_at_end, args=(lifeline,), daemon=True).start()


def _exit_at_end(lifeline: int) -> None:
    os.read(lifeline, 1)
    os._exit(0)


def cpu_time_of(pid: int) -> float | None:
    """Seconds; None where that cannot be read."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return None
    user, system = fields[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def memory_of(pid: int) -> int:
    """Resident bytes; 0 where that cannot be read."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_bytes().split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
