"""The most memory that this process ever held."""

import re
import resource
from pathlib import Path

STATUS = Path("/proc/self/status")


def peak_memory() -> float:
    """In megabytes. Linux's own count begins with the program; getrusage's with its parent process,
    so that a small process that a large one starts would seem large."""
    if STATUS.exists():
        text = re.search(r"^VmHWM:\s+(\d+) kB$", STATUS.read_text(encoding="ascii"), re.MULTILINE)
        if text is not None:
            return int(text[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
