"""When requests to one endpoint may be sent: how many at once and in a minute, and pauses."""

import math
import time
from bisect import insort
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from threading import Condition

from docgraph.adapters.endpoint.retry_delay import TOO_MANY_REQUESTS, RetryDelay
from docgraph.ports.cancellation import cancellable_sleep, check_cancelled, on_cancel

OK = 200
SUCCESSES_PER_INCREASE = 10


class RequestLimiter:
    """Of all threads that send requests to one endpoint.

    After a 429 half as many requests may be in flight as were, and one more after every tenth
    success. Requests are sent in the order of their numbers: one that is sent again has
    kept its number, so that newer ones do not overtake it until its retries are used up.
    """

    def __init__(
        self,
        *,
        per_minute: int | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = cancellable_sleep,
    ) -> None:
        self._interval = 60.0 / per_minute if per_minute else 0.0
        self._clock = clock
        self._sleep = sleep
        self._changed = Condition()
        self._numbers = count()
        self._waiting: list[int] = []
        self._in_flight = 0
        self._max_in_flight = math.inf
        self._reductions = 0
        self._successes = 0
        self._not_before = -math.inf

    @property
    def max_in_flight(self) -> float:
        return self._max_in_flight

    def next_number(self) -> int:
        with self._changed:
            return next(self._numbers)

    @contextmanager
    def slot(self, number: int) -> Iterator["Slot"]:
        """Waits until the request may be sent; it is in flight as long as the block runs."""
        reductions = self._enter(number)
        try:
            yield Slot(self, reductions)
        finally:
            with self._changed:
                self._in_flight -= 1
                self._changed.notify_all()

    def record(self, status: int, delay: RetryDelay, reductions: int) -> None:
        """A response to a request that was sent after so many reductions."""
        with self._changed:
            if delay.shared:
                self._not_before = max(self._not_before, self._clock() + delay.seconds)
            if status == OK:
                self._count_success()
            elif status == TOO_MANY_REQUESTS:
                self._reduce(reductions)
            self._changed.notify_all()

    def _enter(self, number: int) -> int:
        with on_cancel(self._wake), self._queued(number):
            while (seconds := self._wait_for_turn(number)) > 0:
                self._sleep(seconds)
            return self._reductions

    @contextmanager
    def _queued(self, number: int) -> Iterator[None]:
        with self._changed:
            insort(self._waiting, number)
        try:
            yield
        finally:
            with self._changed:
                self._waiting.remove(number)
                self._changed.notify_all()

    def _wait_for_turn(self, number: int) -> float:
        """Seconds until the first of the queue may be sent; at 0 it is in flight."""
        with self._changed:
            while self._waiting[0] != number or self._in_flight >= self._max_in_flight:
                check_cancelled()
                self._changed.wait()
            now = self._clock()
            if now < self._not_before:
                return self._not_before - now
            self._in_flight += 1
            self._not_before = now + self._interval
            return 0.0

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _count_success(self) -> None:
        self._successes += 1
        if self._successes == SUCCESSES_PER_INCREASE:
            self._successes = 0
            self._max_in_flight += 1

    def _reduce(self, reductions: int) -> None:
        """Once for all requests that were in flight together."""
        self._successes = 0
        if reductions == self._reductions:
            self._reductions += 1
            self._max_in_flight = max(1, self._in_flight // 2)


class Slot:
    """The place of one request among those in flight."""

    def __init__(self, limiter: RequestLimiter, reductions: int) -> None:
        self._limiter = limiter
        self._reductions = reductions

    def record(self, status: int, delay: RetryDelay) -> None:
        self._limiter.record(status, delay, self._reductions)
