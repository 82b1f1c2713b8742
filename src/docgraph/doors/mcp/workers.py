"""Workers: engine calls run in threads of their own, so that the event loop lives."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from docgraph.doors.mcp.limits import Limits
from docgraph.model.errors import DocgraphError
from docgraph.ports.waiting import Waiting, still_wanted, waited_for

T = TypeVar("T")


class TooBusy(DocgraphError):
    """More wait already than may wait."""


class Workers:
    """So many at once as the limits say; further calls wait, and their time runs meanwhile."""

    def __init__(self, limits: Limits) -> None:
        self._seconds = limits.seconds
        self._most = limits.at_once + limits.queue
        self._held = 0
        self._threads = ThreadPoolExecutor(limits.at_once, thread_name_prefix="mcp")

    async def done(self, work: Callable[[], T]) -> T:
        """Whoever cancels or leaves is not waited for: the work ends at its next step."""
        if self._held >= self._most:
            raise TooBusy("more calls wait already than may wait; try again")
        waiting = Waiting(self._seconds)

        def for_them() -> T:
            with waited_for(waiting):
                still_wanted()
                return work()

        loop = asyncio.get_running_loop()
        late = loop.call_later(self._seconds, waiting.run_out)
        self._held += 1
        try:
            return await loop.run_in_executor(self._threads, for_them)
        except asyncio.CancelledError:
            waiting.give_up()
            raise
        finally:
            self._held -= 1
            late.cancel()
