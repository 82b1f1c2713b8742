"""The most memory that this process ever held."""

import re
import resource
from pathlib import Path

STATUS = Path("/proc/self/status")


def most_resident() -> float:
    """In megabytes. Linux's own count begins with the program; getrusage's with whoever started it,
    so that a small process that a large one starts would seem large."""
    if STATUS.exists():
        told = re.search(r"^VmHWM:\s+(\d+) kB$", STATUS.read_text(encoding="ascii"), re.MULTILINE)
        if told is not None:
            return int(told[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
