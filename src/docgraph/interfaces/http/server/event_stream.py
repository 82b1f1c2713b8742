"""Server-sent events: a worker tells them, a client hears them, and neither runs ahead."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from concurrent.futures import CancelledError

from docgraph.interfaces.http.problems import problem_data, refusal_of, unforeseen
from docgraph.interfaces.http.responses import as_json
from docgraph.model.errors import DocgraphError, GivenUp
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
Told = bytes | BaseException | None


class Events:
    """`tell` and `carry_out` are for a worker's thread; the rest is for the event loop."""

    def __init__(self, waiting: Deadline, request_id: str) -> None:
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[Told] = asyncio.Queue(MOST)
        self._waiting = waiting
        self._request_id = request_id

    def carry_out(self, work: Callable[[], None]) -> None:
        """However it ends, the client is told, unless it has left."""
        try:
            with deadline_scope(self._waiting):
                self._waiting.check()
                work()
        except BaseException as error:  # noqa: BLE001  whoever listens gets it
            self._last(error)
        else:
            self._last(End)

    def tell(self, name: str, value: object) -> None:
        """Waits while the client is behind; raises GivenUp once nobody listens."""
        self._waiting.check()
        self._put(event(name, value))

    def _last(self, told: BaseException | None) -> None:
        try:
            self._put(told)
        except GivenUp:
            LOG.info("%s: nobody heard the end", self._request_id)

    def _put(self, told: Told) -> None:
        putting = self._queue.put(told)
        try:
            put = asyncio.run_coroutine_threadsafe(putting, self._loop)
        except RuntimeError:  # the loop is closed: the server has ended
            putting.close()
            raise GivenUp("nobody listens any more") from None
        while True:
            try:
                put.result(_LOOK_UP)
            except TimeoutError:
                try:
                    self._waiting.check()
                except GivenUp:
                    put.cancel()
                    raise
            except CancelledError:
                raise GivenUp("nobody listens any more") from None
            else:
                return

    async def first(self) -> bytes | None:
        """An error before anything was told is an error of the request."""
        told = await self._queue.get()
        if isinstance(told, BaseException):
            raise told
        return told

    async def heard(self, first: bytes | None) -> AsyncIterator[bytes]:
        told: Told = first
        while told is not End:
            if isinstance(told, BaseException):
                yield self._problem(told)
                return
            yield told
            told = await self._next()

    async def _next(self) -> Told:
        try:
            async with asyncio.timeout(PAUSE):
                return await self._queue.get()
        except TimeoutError:
            return STILL_HERE

    def _problem(self, error: BaseException) -> bytes:
        refusal = refusal_of(error) if isinstance(error, DocgraphError) else None
        if refusal is None:
            return b"event: problem\ndata: %s\n\n" % unforeseen(self._request_id, error).body
        if refusal.logged:
            LOG.warning("%s: %s: %s", self._request_id, type(error).__name__, error)
        return event("problem", problem_data(refusal.status, refusal.words or str(error)))


def event(name: str, value: object) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (name.encode(), as_json(value))
