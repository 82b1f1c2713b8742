"""Cancellation: a request ends early when its client disconnects or its deadline passes.

An interface sets the request's deadline (`deadline_scope`); every step checks it
(`check_cancelled`), and a call that blocks elsewhere can be interrupted (`on_cancel`). A change
cannot be cancelled any more once it is being committed (`begin_commit`).
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from docgraph.model.errors import Cancelled, DeadlineExceeded


class Deadline:
    """Of one request, at most so many seconds from now; other threads may cancel it.

    One of a part of a request has the whole request's as `outer`, and ends with it.
    """

    def __init__(
        self,
        seconds: float | None = None,
        clock: Callable[[], float] = time.monotonic,
        *,
        outer: "Deadline | None" = None,
    ) -> None:
        self._seconds = seconds
        self._clock = clock
        self._outer = outer
        self._until = None if seconds is None else clock() + seconds
        self._lock = threading.Lock()
        self._error: Callable[[], Cancelled] | None = None
        self._callbacks: dict[object, Callable[[], None]] = {}
        self._committing = False

    @property
    def committing(self) -> bool:
        """A change is being committed, or was committed."""
        return self._committing

    def cancel(self) -> None:
        """The client has disconnected."""
        self._end(lambda: Cancelled("the client has disconnected"))

    def expire(self) -> None:
        """The time is over; interrupts calls that block elsewhere."""
        self._end(self._too_long)

    def begin_commit(self) -> None:
        """From here on nothing cancels the work; raises Cancelled where something did before."""
        with self._lock:
            self.check()
            self._committing = True

    def check(self) -> None:
        if self._outer is not None:
            self._outer.check()
        if self._committing:
            return
        if self._error is not None:
            raise self._error()
        if self._until is not None and self._clock() > self._until:
            raise self._too_long()

    def _too_long(self) -> DeadlineExceeded:
        return DeadlineExceeded(f"this took longer than {self._seconds or 0:g} seconds")

    def _end(self, error: Callable[[], Cancelled]) -> None:
        with self._lock:
            if self._error is not None or self._committing:
                return
            self._error = error
            callbacks = tuple(self._callbacks.values())
        for callback in callbacks:
            callback()

    @contextmanager
    def on_cancel(self, callback: Callable[[], None]) -> Iterator[None]:
        key = object()
        with self._lock:
            self._callbacks[key] = callback
            error = self._error
        try:
            if error is not None:
                raise error()
            yield
        finally:
            with self._lock:
                del self._callbacks[key]


class RepeatedDeadline(Deadline):
    """Of work that commits several times, and can be cancelled between two of them."""

    def begin_commit(self) -> None:
        self.check()


_DEADLINE: ContextVar[Deadline | None] = ContextVar("docgraph_deadline", default=None)


@contextmanager
def deadline_scope(deadline: Deadline) -> Iterator[Deadline]:
    """The deadline of all that this thread does inside."""
    token = _DEADLINE.set(deadline)
    try:
        yield deadline
    finally:
        _DEADLINE.reset(token)


@contextmanager
def inner_deadline() -> Iterator[Deadline]:
    """For threads that do a part of this request: it ends with the request, or before it.

    Each thread sets it (`deadline_scope`); the one that calls this keeps its own.
    """
    inner = Deadline(outer=_DEADLINE.get())
    with on_cancel(inner.cancel):
        yield inner


def check_cancelled() -> None:
    """Raises Cancelled if the request was cancelled or its deadline has passed."""
    deadline = _DEADLINE.get()
    if deadline is not None:
        deadline.check()


def begin_commit() -> None:
    """The last thing before a change is committed; raises Cancelled if the request has ended."""
    deadline = _DEADLINE.get()
    if deadline is not None:
        deadline.begin_commit()


@contextmanager
def on_cancel(callback: Callable[[], None]) -> Iterator[None]:
    """`callback` runs in another thread if the request ends early; errors are Cancelled then."""
    deadline = _DEADLINE.get()
    if deadline is None:
        yield
        return
    with deadline.on_cancel(callback):
        try:
            yield
        except Exception:
            deadline.check()
            raise


def cancellable_sleep(seconds: float) -> None:
    """Raises Cancelled as soon as the request ends early."""
    ended = threading.Event()
    with on_cancel(ended.set):
        ended.wait(seconds)
    check_cancelled()
