"""A connection: whoever holds one has to say what they want, and to hear what they are told."""

import asyncio
import logging
import socket
import time
from collections.abc import Callable
from typing import Any, ClassVar

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from docgraph.interfaces.server.listener import BACKLOG
from docgraph.wiring.server_settings import ServeSettings

# ThrottledLog: what happens a thousand times in a second is told once in a while.


class ThrottledLog:
    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._next = clock()

    def __call__(self) -> bool:
        """Whether it is time to tell it."""
        now = self._clock()
        if now < self._next:
            return False
        self._next = now + self._seconds
        return True


LOG = logging.getLogger("docgraph.connections")
PAUSE = 10.0  # seconds between two lines of the log that say the same
FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\n"
    b"Connection: close\r\nContent-Length: 0\r\n\r\n"
)


class Connection(H11Protocol):
    """`seconds` until a request's head is there, from the last answer on, and for some of an
    answer to be read. Of more than `most`, the one that has kept us waiting longest goes.
    """

    seconds: ClassVar[float]
    most: ClassVar[int]
    waiting: ClassVar[dict["Connection", None]]  # whose turn it is to speak; the first goes first
    seldom: ClassVar[ThrottledLog]

    def __init__(self, *told: Any, **named: Any) -> None:
        super().__init__(*told, **named)
        self.conn = StrictH11(h11.SERVER)
        self._timer: asyncio.TimerHandle | None = None
        self._unread = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self.most and not self._made_room():
            transport.write(FULL)
            transport.close()
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.waiting.pop(self, None)
        self._stop()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._look()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._look()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stop()
        self._look()

    def _unsupported_upgrade_warning(self) -> None:
        """Whoever wants another protocol is answered in this one: that is no news."""

    def _look(self) -> None:
        """Whether it is their turn."""
        idle = self.cycle is None or self.cycle.response_complete  # type: ignore[redundant-expr]
        if idle or self.cycle.more_body:
            self.waiting.setdefault(self)
        else:
            self.waiting.pop(self, None)
        if not (idle or self.flow.write_paused):
            self._stop()
        elif self._timer is None:
            self._timer = self.loop.call_later(self.seconds, self._late)

    def _late(self) -> None:
        """Whoever still reads, however slowly, is not cut off."""
        unread = self.transport.get_write_buffer_size()
        if unread in (0, self._unread):
            self.transport.abort()
        else:
            self._unread = unread
            self._timer = self.loop.call_later(self.seconds, self._late)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _made_room(self) -> bool:
        """False where everybody waits for us."""
        if self.seldom():
            LOG.warning("more than %d connections: some are closed", self.most)
        longest = next(iter(self.waiting), None)
        if longest is None:
            return False
        del self.waiting[longest]
        self.connections.discard(longest)
        longest.transport.abort()
        return True


class StrictH11(h11.Connection):
    """A request that says twice how long it is may be two requests to somebody else."""

    def next_event(self) -> Any:
        event = super().next_event()
        if isinstance(event, h11.Request):
            names = {name for name, _ in event.headers}
            if {b"content-length", b"transfer-encoding"} <= names:
                raise h11.RemoteProtocolError("both Content-Length and Transfer-Encoding")
        return event


def connections(seconds: float, most: int) -> type[Connection]:
    """Of one server."""
    own = {"seconds": seconds, "most": most, "waiting": {}, "seldom": ThrottledLog(PAUSE)}
    return type("Connection", (Connection,), own)


# A server that no number of connections brings down, nor its log.


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
    seldom = ThrottledLog(PAUSE)

    def told(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if context.get("message") != NO_FILE_LEFT or seldom():
            loop.default_exception_handler(context)

    return told
