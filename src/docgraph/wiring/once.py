"""once: what takes long to make is made when first needed, and by one thread alone."""

import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def once(make: Callable[[], T]) -> Callable[[], T]:
    """Others who need it meanwhile wait for it; where it fails, the next one tries again."""
    lock = threading.Lock()
    made: list[T] = []

    def get() -> T:
        if not made:
            with lock:
                if not made:
                    made.append(make())
        return made[0]

    return get
