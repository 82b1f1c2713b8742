"""A server that no number of connections brings down, nor its log."""

import asyncio
import socket
from collections.abc import Callable
from typing import Any

import uvicorn

from docgraph.doors.connection import PAUSE, connections
from docgraph.doors.listening import BACKLOG
from docgraph.doors.seldom import Seldom
from docgraph.wiring.serve_settings import ServeSettings

# asyncio takes as many as this before it looks at any of them; each is an open file.
TAKEN_AT_ONCE = 16
NO_FILE_LEFT = "socket.accept() out of system resource"


def limited_config(
    app: Callable[..., Any], served: ServeSettings, *, lifespan: Any
) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=connections(served.head_time, most_connections(served.connections)),
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan=lifespan,
        backlog=TAKEN_AT_ONCE,
        timeout_graceful_shutdown=max(1, round(served.drain)),
    )


def most_connections(wanted: int) -> int:
    """Half of the files that a process may open are for the store and for models."""
    try:
        import resource
    except ImportError:  # not every system counts them
        return wanted
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return wanted if files == resource.RLIM_INFINITY else max(1, min(wanted, files // 2))


class LimitedServer(uvicorn.Server):
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        asyncio.get_running_loop().set_exception_handler(_told_seldom())
        await super().startup(sockets)
        for place in sockets or ():
            place.listen(BACKLOG)  # asyncio has set how many may wait to how many it takes at once


def _told_seldom() -> Callable[[asyncio.AbstractEventLoop, dict[str, Any]], None]:
    seldom = Seldom(PAUSE)

    def told(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if context.get("message") != NO_FILE_LEFT or seldom():
            loop.default_exception_handler(context)

    return told
