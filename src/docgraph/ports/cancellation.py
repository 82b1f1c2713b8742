"""Deadline: whoever asked may leave, or have waited long enough. Work looks up now and then.

A door says for whom it works (`deadline_scope`); every step asks whether it is still wanted
(`check_cancelled`), and what sits and waits elsewhere can be called back (`on_cancel`).
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from docgraph.model.errors import GivenUp, TookTooLong


class Deadline:
    """One who waits, for at most so many seconds; other threads may tell that they have left."""

    def __init__(
        self, seconds: float | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._seconds = seconds
        self._clock = clock
        self._until = None if seconds is None else clock() + seconds
        self._lock = threading.Lock()
        self._gone: Callable[[], GivenUp] | None = None
        self._calls: dict[object, Callable[[], None]] = {}

    def cancel(self) -> None:
        """They have left."""
        self._end(lambda: GivenUp("whoever asked has left"))

    def expire(self) -> None:
        """Their time is over, also for what sits and waits elsewhere."""
        self._end(self._too_long)

    def check(self) -> None:
        if self._gone is not None:
            raise self._gone()
        if self._until is not None and self._clock() > self._until:
            raise self._too_long()

    def _too_long(self) -> TookTooLong:
        return TookTooLong(f"this took longer than {self._seconds or 0:g} seconds")

    def _end(self, why: Callable[[], GivenUp]) -> None:
        with self._lock:
            if self._gone is not None:
                return
            self._gone = why
            calls = tuple(self._calls.values())
        for call in calls:
            call()

    @contextmanager
    def on_cancel(self, back: Callable[[], None]) -> Iterator[None]:
        key = object()
        with self._lock:
            self._calls[key] = back
            gone = self._gone
        try:
            if gone is not None:
                raise gone()
            yield
        finally:
            with self._lock:
                del self._calls[key]


_WAITING: ContextVar[Deadline | None] = ContextVar("docgraph_waiting", default=None)


@contextmanager
def deadline_scope(waiting: Deadline) -> Iterator[Deadline]:
    """What this thread does inside is done for them."""
    token = _WAITING.set(waiting)
    try:
        yield waiting
    finally:
        _WAITING.reset(token)


def check_cancelled() -> None:
    """Raises GivenUp if not; where nobody was named, everything is wanted."""
    waiting = _WAITING.get()
    if waiting is not None:
        waiting.check()


@contextmanager
def on_cancel(back: Callable[[], None]) -> Iterator[None]:
    """`back` is called, in another thread, when nobody waits any more; an error then is GivenUp."""
    waiting = _WAITING.get()
    if waiting is None:
        yield
        return
    with waiting.on_cancel(back):
        try:
            yield
        except Exception:
            waiting.check()
            raise
