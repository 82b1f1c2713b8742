"""Garbage collection during an ingest: rarely, since nearly all that is made stays in use."""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

# The first is how many more objects are made than freed between two collections.
RARE = (50_000, 20, 20)
_lock = threading.Lock()
_running = 0
_usual = gc.get_threshold()


@contextmanager
def collected_rarely() -> Iterator[None]:
    """As long as one ingest of this process runs."""
    global _running, _usual  # noqa: PLW0603  the collector is the process's own
    with _lock:
        if not _running:
            _usual = gc.get_threshold()
            gc.set_threshold(*RARE)
        _running += 1
    try:
        yield
    finally:
        with _lock:
            _running -= 1
            if not _running:
                gc.set_threshold(*_usual)
