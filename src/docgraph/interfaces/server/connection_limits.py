"""Limits of connections: a client must send its request and read the response in time."""

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

# A message that could occur a thousand times in a second is logged once in a while.


class ThrottledLog:
    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._next = clock()

    def __call__(self) -> bool:
        """Whether it may be logged now."""
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


class LimitedConnection(H11Protocol):
    """`seconds` for a request's head to arrive, counted from the last response, and for a part
    of a response to be read. Of more than `most` connections, the one idle for longest is closed.
    """

    seconds: ClassVar[float]
    most: ClassVar[int]
    waiting: ClassVar[dict["LimitedConnection", None]]  # idle ones, the longest first
    throttle: ClassVar[ThrottledLog]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.conn = StrictH11(h11.SERVER)
        self._timer: asyncio.TimerHandle | None = None
        self._unread = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self.most and not self._close_idle():
            transport.write(FULL)
            transport.close()
        self._update()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.waiting.pop(self, None)
        self._stop()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._update()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._update()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._update()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stop()
        self._update()

    def _unsupported_upgrade_warning(self) -> None:
        """A client that asks for another protocol gets HTTP; no warning is needed."""

    def _update(self) -> None:
        """Starts or stops the timer, as the client or the server is to act."""
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
        """A client that still reads, however slowly, keeps its connection."""
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

    def _close_idle(self) -> bool:
        """False where none is idle."""
        if self.throttle():
            LOG.warning("more than %d connections: some are closed", self.most)
        longest = next(iter(self.waiting), None)
        if longest is None:
            return False
        del self.waiting[longest]
        self.connections.discard(longest)
        longest.transport.abort()
        return True


class StrictH11(h11.Connection):
    """Refuses a request with two lengths: another server may see two requests in it."""

    def next_event(self) -> Any:
        event = super().next_event()
        if isinstance(event, h11.Request):
            names = {name for name, _ in event.headers}
            if {b"content-length", b"transfer-encoding"} <= names:
                raise h11.RemoteProtocolError("both Content-Length and Transfer-Encoding")
        return event


def connection_class(seconds: float, most: int) -> type[LimitedConnection]:
    """A class of its own for each server: the limits are class variables."""
    own = {"seconds": seconds, "most": most, "waiting": {}, "throttle": ThrottledLog(PAUSE)}
    return type("Connection", (LimitedConnection,), own)


# A server that limits its connections and its log.


# asyncio accepts as many before it handles any of them; each is an open file.
ACCEPTED_AT_ONCE = 16
NO_FILE_LEFT = "socket.accept() out of system resource"


def limited_config(
    app: Callable[..., Any], served: ServeSettings, *, lifespan: Any
) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=connection_class(served.head_time, max_connections(served.connections)),
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan=lifespan,
        backlog=ACCEPTED_AT_ONCE,
        timeout_graceful_shutdown=max(1, round(served.drain)),
    )


def max_connections(requested: int) -> int:
    """Half of the files that a process may open are for the store and for models."""
    try:
        import resource
    except ImportError:  # not every system counts them
        return requested
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return requested if files == resource.RLIM_INFINITY else max(1, min(requested, files // 2))


class LimitedServer(uvicorn.Server):
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        asyncio.get_running_loop().set_exception_handler(_throttled_handler())
        await super().startup(sockets)
        for one in sockets or ():
            one.listen(BACKLOG)  # asyncio has set it to how many it accepts at once


def _throttled_handler() -> Callable[[asyncio.AbstractEventLoop, dict[str, Any]], None]:
    throttle = ThrottledLog(PAUSE)

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if context.get("message") != NO_FILE_LEFT or throttle():
            loop.default_exception_handler(context)

    return handle
