"""Workers: a few threads that take one piece of work after another, first come, first served."""

import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from functools import partial
from typing import Any, TypeVar

from docgraph.doors.http.refusal import TooBusy

T = TypeVar("T")
Piece = tuple["Future[Any]", Callable[[], Any]]


class Workers:
    """`waiting` is how many pieces may wait beside those that are worked on."""

    def __init__(self, name: str, threads: int, waiting: int) -> None:
        self._pieces: queue.SimpleQueue[Piece | None] = queue.SimpleQueue()
        self._most = threads + waiting
        self._held = 0
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

    def submit(self, work: Callable[[], T]) -> "Future[T]":
        with self._lock:
            if self._held >= self._most:
                raise TooBusy("more questions wait already than may wait")
            self._held += 1
        future: Future[T] = Future()
        self._pieces.put((future, partial(copy_context().run, work)))
        return future

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
            future, work = piece
            try:
                if future.set_running_or_notify_cancel():
                    _carry_out(future, work)
            finally:
                with self._lock:
                    self._held -= 1
            del piece, future, work  # nobody holds an answer until the next question comes


def _carry_out(future: "Future[Any]", work: Callable[[], Any]) -> None:
    try:
        result = work()
    except BaseException as error:  # noqa: BLE001  whoever waits gets it
        future.set_exception(error)
    else:
        future.set_result(result)
