"""A pool of worker threads with a bounded queue, first in, first out."""

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

# A quota of the queue for each user, so that one user cannot fill it.


QuotaKey = tuple[str, str]  # tenant and id
PARTS = 4  # of a queue, one of which is a user's quota
FEWEST = 72  # so that 64 clients with one key are never refused


def quota_key(principal: Principal) -> QuotaKey:
    return principal.tenant, principal.id


class UserQuota:
    """Not safe for threads: callers hold a lock."""

    def __init__(self, waiting: int) -> None:
        self._most = max(waiting // PARTS, FEWEST)
        self._used: dict[QuotaKey, int] = {}

    def take(self, key: QuotaKey) -> bool:
        """False where the quota is used up."""
        used = self._used.get(key, 0)
        if used >= self._most:
            return False
        self._used[key] = used + 1
        return True

    def release(self, key: QuotaKey) -> None:
        """A user without work is forgotten."""
        used = self._used.pop(key) - 1
        if used:
            self._used[key] = used


T = TypeVar("T")
Task = tuple["Future[Any]", Callable[[], Any], QuotaKey | None]


class Overloaded(DocgraphError):
    """The queue is full."""


class WorkerPool:
    """`waiting` tasks may wait beside those that run. A user's tasks are limited by a quota."""

    def __init__(self, name: str, threads: int, waiting: int) -> None:
        self._tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self._most = threads + waiting
        self._pending = 0
        self._quota = UserQuota(waiting)
        self._lock = threading.Lock()
        self._threads = [
            threading.Thread(target=self._work, name=f"{name}-{number}", daemon=True)
            for number in range(threads)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def pending(self) -> int:
        """How many tasks run or wait."""
        return self._pending

    def submit(self, work: Callable[[], T], key: QuotaKey | None) -> "Future[T]":
        with self._lock:
            if self._pending >= self._most:
                raise Overloaded("more wait already than may wait; try again")
            if key is not None and not self._quota.take(key):
                raise Overloaded("more of yours wait already than may wait; try again")
            self._pending += 1
        future: Future[T] = Future()
        self._tasks.put((future, partial(copy_context().run, work), key))
        return future

    @asynccontextmanager
    async def running(self, seconds: float = 0.0) -> AsyncIterator[None]:
        """To be entered while tasks are submitted."""
        try:
            yield
        finally:
            self.close(seconds)

    def close(self, seconds: float) -> bool:
        """Ends the threads; False if some still run after that time."""
        for _ in self._threads:
            self._tasks.put(None)
        until = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            future, work, key = task
            try:
                if future.set_running_or_notify_cancel():
                    _run(future, work)
            finally:
                with self._lock:
                    self._pending -= 1
                    if key is not None:
                        self._quota.release(key)
            del task, future, work  # no result is kept alive until the next task


def _run(future: "Future[Any]", work: Callable[[], Any]) -> None:
    try:
        result = work()
    except BaseException as error:  # noqa: BLE001  the caller gets it
        future.set_exception(error)
    else:
        future.set_result(result)
