"""A clock that stands still until someone sleeps, and remembers for how long."""

from threading import Lock


class ScriptedClock:
    def __init__(self) -> None:
        self.slept: list[float] = []
        self._now = 0.0
        self._lock = Lock()

    def __call__(self) -> float:
        return self._now

    def sleep(self, seconds: float) -> None:
        with self._lock:
            self.slept.append(seconds)
            self._now += seconds
