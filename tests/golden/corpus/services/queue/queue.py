"""Uploads wait here. See ADR-3."""

import heapq
from collections import deque

from services.queue.models import Attempt, Upload


class Queue:
    """First in, first out; retries wait for their time."""

    def __init__(self) -> None:
        self._ready: deque[Upload] = deque()
        self._later: list[tuple[float, Upload]] = []

    def push(self, upload: Upload, at: float = 0.0) -> None:
        """Puts an upload at the end, or lets it wait."""
        if at:
            heapq.heappush(self._later, (at, upload))
        else:
            self._ready.append(upload)

    def pop(self, now: float) -> Upload | None:
        self._promote(now)
        return self._ready.popleft() if self._ready else None

    def _promote(self, now: float) -> None:
        while self._later and self._later[0][0] <= now:
            self.push(heapq.heappop(self._later)[1])


def first_attempt(upload: Upload) -> Attempt:
    return Attempt(upload, number=1)
