"""Seldom: what happens a thousand times in a second is told once in a while."""

import time
from collections.abc import Callable


class Seldom:
    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._next = clock()

    def __call__(self) -> bool:
        """Whether it is time to tell it."""
        now = self._clock()
        if now < self._next:
            return False
        self._next = now + self._seconds
        return True
