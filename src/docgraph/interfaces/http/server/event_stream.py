"""Server-sent events: a worker sends them, a client reads them, through a bounded queue."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from concurrent.futures import CancelledError

from docgraph.interfaces.http.problems import problem_data, refusal_of, unexpected
from docgraph.interfaces.http.responses import as_json
from docgraph.model.errors import Cancelled, DocgraphError
from docgraph.ports.cancellation import Deadline, deadline_scope

LOG = logging.getLogger("docgraph.http")
MEDIA_TYPE = "text/event-stream"
MOST = 64  # events that a slow client may be behind
STILL_HERE = b": still here\n\n"
PAUSE = 15.0  # seconds after which a silent stream says so
_LOOK_UP = 0.5
EVENT = {
    "type": "object",
    "description": "One event of the stream: pieces of the answer's text, then the answer as JSON "
    "has it, or the problem that it broke off with.",
    "properties": {
        "event": {"enum": ["piece", "answer", "problem"]},
        "data": {"type": "string", "contentMediaType": "application/json"},
    },
    "required": ["event", "data"],
}
PIECE = {"event": "piece", "data": '{"text":"The pause is "}'}
End = None
Item = bytes | BaseException | None


class Events:
    """`send` and `run` are for a worker's thread; the rest is for the event loop."""

    def __init__(self, deadline: Deadline, request_id: str) -> None:
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[Item] = asyncio.Queue(MOST)
        self._deadline = deadline
        self._request_id = request_id

    def run(self, work: Callable[[], None]) -> None:
        """However it ends, the client gets the end, unless it has disconnected."""
        try:
            with deadline_scope(self._deadline):
                self._deadline.check()
                work()
        except BaseException as error:  # noqa: BLE001  the client gets it
            self._last(error)
        else:
            self._last(End)

    def send(self, name: str, value: object) -> None:
        """Waits while the client is behind; raises Cancelled once it has disconnected."""
        self._deadline.check()
        self._put(event(name, value))

    def _last(self, item: BaseException | None) -> None:
        try:
            self._put(item)
        except Cancelled:
            LOG.info("%s: the client had left before the end", self._request_id)

    def _put(self, item: Item) -> None:
        putting = self._queue.put(item)
        try:
            put = asyncio.run_coroutine_threadsafe(putting, self._loop)
        except RuntimeError:  # the loop is closed: the server has ended
            putting.close()
            raise Cancelled("nobody listens any more") from None
        while True:
            try:
                put.result(_LOOK_UP)
            except TimeoutError:
                try:
                    self._deadline.check()
                except Cancelled:
                    put.cancel()
                    raise
            except CancelledError:
                raise Cancelled("nobody listens any more") from None
            else:
                return

    async def first(self) -> bytes | None:
        """An error before the first event is an error of the request."""
        item = await self._queue.get()
        if isinstance(item, BaseException):
            raise item
        return item

    async def stream(self, first: bytes | None) -> AsyncIterator[bytes]:
        item: Item = first
        while item is not End:
            if isinstance(item, BaseException):
                yield self._problem(item)
                return
            yield item
            item = await self._next()

    async def _next(self) -> Item:
        try:
            async with asyncio.timeout(PAUSE):
                return await self._queue.get()
        except TimeoutError:
            return STILL_HERE

    def _problem(self, error: BaseException) -> bytes:
        refusal = refusal_of(error) if isinstance(error, DocgraphError) else None
        if refusal is None:
            return b"event: problem\ndata: %s\n\n" % unexpected(self._request_id, error).body
        if refusal.logged:
            LOG.warning("%s: %s: %s", self._request_id, type(error).__name__, error)
        return event("problem", problem_data(refusal.status, refusal.message or str(error)))


def event(name: str, value: object) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (name.encode(), as_json(value))
