"""A pool of worker threads. Users take turns, so that none waits for all tasks of another."""

import queue
import threading
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from contextlib import asynccontextmanager
from contextvars import copy_context
from typing import Any, TypeVar

from docgraph.interfaces.server.fair_queue import FairQueue
from docgraph.model.access import Principal

UserKey = tuple[str, str]  # tenant and id
T = TypeVar("T")


def user_key(principal: Principal) -> UserKey:
    return principal.tenant, principal.id


class Task:
    """Compared by identity."""

    def __init__(self, work: Callable[[], Any], user: UserKey | None) -> None:
        self.future: Future[Any] = Future()
        self.user = user
        self._context, self._work = copy_context(), work

    def run(self) -> None:
        if not self.future.set_running_or_notify_cancel():
            return
        try:
            result = self._context.run(self._work)
        except BaseException as error:  # noqa: BLE001  the caller gets it
            self.future.set_exception(error)
        else:
            self.future.set_result(result)


class WorkerPool:
    """`waiting` tasks may wait beside those that run; `per_user` of one user run at once.

    `count` gets 1 for each task that is added, and -1 once it is done or cancelled.
    """

    def __init__(
        self,
        name: str,
        threads: int,
        waiting: int,
        *,
        per_user: int | None = None,
        count: Callable[[int], None] = lambda _: None,
    ) -> None:
        self._count = count
        self._queue: FairQueue[Task] = FairQueue(threads, waiting, per_user or threads)
        self._lock = threading.Lock()
        self._started: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self._closing = False
        self._threads = [
            threading.Thread(target=self._work, name=f"{name}-{number}", daemon=True)
            for number in range(threads)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def pending(self) -> int:
        """How many tasks run or wait."""
        with self._lock:
            return self._queue.running + self._queue.waiting

    def submit(self, work: Callable[[], T], user: UserKey | None) -> "Future[T]":
        """Raises Overloaded. A future that is cancelled while it waits leaves the queue."""
        task = Task(work, user)
        with self._lock:
            self._queue.put(task, user)
            self._start()
        self._count(1)
        task.future.add_done_callback(lambda done: self._end(task, done))
        return task.future

    @asynccontextmanager
    async def running(self, seconds: float = 0.0) -> AsyncIterator[None]:
        """To be entered while tasks are submitted."""
        try:
            yield
        finally:
            self.close(seconds)

    def close(self, seconds: float) -> bool:
        """Ends the threads once no task is left; False if some still run after that time."""
        with self._lock:
            self._closing = True
            self._start()
        until = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def _start(self) -> None:
        """Under the lock: as many tasks as may run now."""
        while (found := self._queue.start()) is not None:
            self._started.put(found[0])
        if self._closing and not self._queue.running:
            for _ in self._threads:
                self._started.put(None)

    def _end(self, task: Task, done: "Future[Any]") -> None:
        self._count(-1)
        if done.cancelled():
            with self._lock:
                self._queue.remove(task, task.user)

    def _work(self) -> None:
        while (task := self._started.get()) is not None:
            try:
                task.run()
            finally:
                with self._lock:
                    self._queue.finish(task.user)
                    self._start()
            del task  # no result is kept alive until the next task
