"""Once at a time: whoever asks while somebody is asking gets what they get."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from docgraph.doors.workers import Workers


class OnceAtATime:
    """In a thread of its own: however many ask, they take none from others."""

    def __init__(self, work: Callable[[], None]) -> None:
        self._work = work
        self._workers = Workers("once", threads=1, waiting=1)
        self._asked: asyncio.Future[None] | None = None

    async def __call__(self) -> None:
        if self._asked is None or self._asked.done():
            self._asked = asyncio.wrap_future(self._workers.submit(self._work, None))
            self._asked.add_done_callback(_heard)
        await asyncio.shield(self._asked)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """To be entered while anybody may ask."""
        try:
            yield
        finally:
            self._workers.close(0)


def _heard(asked: "asyncio.Future[None]") -> None:
    """Even where everybody has left before it failed."""
    if not asked.cancelled():
        asked.exception()
