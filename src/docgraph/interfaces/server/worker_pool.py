"""Workers: a few threads that take one piece of work after another, first come, first served."""

import queue
import threading
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from contextlib import asynccontextmanager
from contextvars import copy_context
from functools import partial
from typing import Any, TypeVar

from docgraph.model.access import Principal
from docgraph.model.errors import DocgraphError

# UserQuota: of what may wait, nobody holds more than their share, so that others find room.


QuotaKey = tuple[str, str]  # tenant and id
PARTS = 4  # of a queue, of which one person may hold one
FEWEST = 72  # so that 64 clients with one key, and a few more, are never sent away


def quota_key(principal: Principal) -> QuotaKey:
    return principal.tenant, principal.id


class UserQuota:
    """Whoever uses it holds a lock, or stays in one thread."""

    def __init__(self, waiting: int) -> None:
        self._most = max(waiting // PARTS, FEWEST)
        self._held: dict[QuotaKey, int] = {}

    def take(self, holder: QuotaKey) -> bool:
        """False where they hold as much as they may."""
        held = self._held.get(holder, 0)
        if held >= self._most:
            return False
        self._held[holder] = held + 1
        return True

    def give_back(self, holder: QuotaKey) -> None:
        """Whoever holds nothing is not remembered."""
        held = self._held.pop(holder) - 1
        if held:
            self._held[holder] = held


T = TypeVar("T")
Piece = tuple["Future[Any]", Callable[[], Any], QuotaKey | None]


class Overloaded(DocgraphError):
    """More wait already than may wait."""


class WorkerPool:
    """`waiting` is how many pieces may wait beside those that are worked on.

    Of all of them no holder has more than their share; None is nobody in particular.
    """

    def __init__(self, name: str, threads: int, waiting: int) -> None:
        self._pieces: queue.SimpleQueue[Piece | None] = queue.SimpleQueue()
        self._most = threads + waiting
        self._held = 0
        self._shares = UserQuota(waiting)
        self._lock = threading.Lock()
        self._threads = [
            threading.Thread(target=self._work, name=f"{name}-{number}", daemon=True)
            for number in range(threads)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def held(self) -> int:
        """How many are worked on or wait."""
        return self._held

    def submit(self, work: Callable[[], T], holder: QuotaKey | None) -> "Future[T]":
        with self._lock:
            if self._held >= self._most:
                raise Overloaded("more wait already than may wait; try again")
            if holder is not None and not self._shares.take(holder):
                raise Overloaded("more of yours wait already than may wait; try again")
            self._held += 1
        future: Future[T] = Future()
        self._pieces.put((future, partial(copy_context().run, work), holder))
        return future

    @asynccontextmanager
    async def running(self, seconds: float = 0.0) -> AsyncIterator[None]:
        """To be entered while they are needed; in the end they take no more."""
        try:
            yield
        finally:
            self.close(seconds)

    def close(self, seconds: float) -> bool:
        """Takes no more; False if some are still at work after that time."""
        for _ in self._threads:
            self._pieces.put(None)
        until = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def _work(self) -> None:
        while (piece := self._pieces.get()) is not None:
            future, work, holder = piece
            try:
                if future.set_running_or_notify_cancel():
                    _carry_out(future, work)
            finally:
                with self._lock:
                    self._held -= 1
                    if holder is not None:
                        self._shares.give_back(holder)
            del piece, future, work  # nobody holds an answer until the next question comes


def _carry_out(future: "Future[Any]", work: Callable[[], Any]) -> None:
    try:
        result = work()
    except BaseException as error:  # noqa: BLE001  whoever waits gets it
        future.set_exception(error)
    else:
        future.set_result(result)
