"""The life of the app: models are loaded, ingestions are taken up; in the end all is put away."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any

from docgraph.doors.http.house import House

LOG = logging.getLogger("docgraph.http")


@asynccontextmanager
async def living(
    house: House, running: Sequence[Callable[[], AbstractAsyncContextManager[Any]]]
) -> AsyncIterator[None]:
    """Requests are taken while models load, so that /readyz can say so."""
    loading = asyncio.create_task(_load(house))
    try:
        async with AsyncExitStack() as stack:
            for run in running:
                await stack.enter_async_context(run())
            yield
    finally:
        await loading
        await asyncio.to_thread(house.close)


async def _load(house: House) -> None:
    try:
        await asyncio.to_thread(house.load)
    except Exception:
        LOG.exception("not ready: the models cannot be loaded")
        return
    if house.runner is not None and not house.condition.draining:
        house.runner.start()
    house.condition.ready = True
