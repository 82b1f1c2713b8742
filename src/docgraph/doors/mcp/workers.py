"""Workers: engine calls run in threads of their own, so that the event loop lives."""

import asyncio
from collections.abc import Callable

from docgraph.doors.workers import Workers
from docgraph.doors.mcp.limits import Limits
from docgraph.doors.mcp.tool import T
from docgraph.doors.shares import Holder
from docgraph.ports.waiting import Waiting, still_wanted, waited_for



class ToolWorkers:
    """So many at once as the limits say; further calls wait, and their time runs meanwhile.

    Of those nobody holds more than their share; whoever started this process alone is not counted.
    """

    def __init__(self, limits: Limits) -> None:
        self._seconds = limits.seconds
        self._workers = Workers("mcp", limits.at_once, limits.queue)

    async def done(self, work: Callable[[], T], holder: Holder | None) -> T:
        """Whoever cancels or leaves is not waited for: the work ends at its next step."""
        waiting = Waiting(self._seconds)

        def for_them() -> T:
            with waited_for(waiting):
                still_wanted()
                return work()

        working = asyncio.wrap_future(self._workers.submit(for_them, holder))
        late = asyncio.get_running_loop().call_later(self._seconds, waiting.run_out)
        try:
            return await working
        except asyncio.CancelledError:
            waiting.give_up()
            raise
        finally:
            late.cancel()
