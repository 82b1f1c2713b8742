"""The life of the app: models are loaded, ingestions are taken up; in the end all is put away."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from typing import Any

from docgraph.doors.http.house import House

LOG = logging.getLogger("docgraph.http")
PAUSE = 2.0  # seconds until what failed is tried again


@asynccontextmanager
async def living(
    house: House, running: Sequence[Callable[[], AbstractAsyncContextManager[Any]]]
) -> AsyncIterator[None]:
    """Requests are taken while models load, so that /readyz can say so."""
    loading = asyncio.create_task(_load_models(house))
    try:
        async with AsyncExitStack() as stack:
            for run in running:
                await stack.enter_async_context(run())
            yield
    finally:
        house.drain()
        loading.cancel()
        with suppress(asyncio.CancelledError):
            await loading
        await asyncio.to_thread(house.close)


async def _load_models(house: House) -> None:
    """A model's server may come up later than this one."""
    while not await _try_load(house):
        await asyncio.sleep(PAUSE)
    if house.runner is not None and not house.condition.draining:
        house.runner.start()
    house.condition.ready = True


async def _try_load(house: House) -> bool:
    try:
        await asyncio.to_thread(house.load)
    except Exception as error:  # noqa: BLE001  whatever it is, it may be mended meanwhile
        LOG.warning("not ready: no model can be loaded: %s: %s", type(error).__name__, error)
        return False
    return True
