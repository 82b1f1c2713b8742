"""Over HTTP: whoever comes shows who they are, on every request, before anything else is read."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, MutableMapping
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from docgraph.engine import Engine
from docgraph.interfaces.auth.authentication import AuthBackend, Authenticator
from docgraph.interfaces.mcp.server import mcp_server
from docgraph.interfaces.mcp.tool_context import Limits, ToolContext
from docgraph.interfaces.server.listener import from_here, no_others_page
from docgraph.interfaces.server.worker_pool import Overloaded, quota_key
from docgraph.model.access import Principal
from docgraph.model.errors import DocgraphError, NotKnown
from docgraph.pipeline.pipeline import Pipeline

# The few words of ASGI that this door speaks itself.


Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


async def answer(send: Send, status: int, words: str, *headers: tuple[str, str]) -> None:
    body = f"{words}\n".encode()
    written = (
        ("content-type", "text/plain; charset=utf-8"),
        ("content-length", str(len(body))),
        *headers,
    )
    start = [(name.encode(), value.encode()) for name, value in written]
    await send({"type": "http.response.start", "status": status, "headers": start})
    await send({"type": "http.response.body", "body": body})


def headers_called(scope: Scope, name: str) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key.decode() == name]


class ClientDisconnected(Exception):
    """Before all of what they wanted to say had come."""


async def whole_body(receive: Receive, most: int) -> bytes | None:
    """None if there is more of it. Raises ClientDisconnected."""
    body = b""
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise ClientDisconnected
        body += bytes(message.get("body", b""))
        if len(body) > most:
            return None
        if not message.get("more_body", False):
            return body


async def unless_they_leave(
    app: App, scope: Scope, body: bytes, receive: Receive, send: Send
) -> None:
    """Cancels what is done for a client once they have gone: nobody could hear the answer."""
    leaving = asyncio.ensure_future(_left(receive))
    parts = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def heard() -> Message:
        for part in parts:
            return part
        await asyncio.shield(leaving)
        return {"type": "http.disconnect"}

    working = asyncio.ensure_future(app(scope, heard, send))
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            working.result()
    finally:
        for task in (working, leaving):
            task.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


ASKER = "docgraph.asker"
CHALLENGE = 'Bearer realm="docgraph"'
log = logging.getLogger("docgraph.mcp")


def mcp_app(
    engine: Engine,
    login: AuthBackend,
    pipelines: Mapping[str, Pipeline],
    limits: Limits | None = None,
) -> "McpApp":
    """To be put at a path of its own, such as /mcp, and run in `lifespan`."""
    return McpApp(ToolContext(engine, pipelines, limits or Limits()), login)


class McpApp:
    """An ASGI application. It keeps no sessions: any replica answers any request.

    Who asks stands in the request's own scope, put there by `login` and by nobody else.
    """

    def __init__(self, desk: ToolContext, login: AuthBackend) -> None:
        self._is_open = login.open_to_local
        self._doorkeeper = Authenticator(login)
        self._limits = desk.limits
        self._manager = StreamableHTTPSessionManager(
            mcp_server(desk, _asker, from_afar=True, whose=lambda r: quota_key(_asker(r))),
            json_response=True,  # a stream of events would be cut where a server drains
            stateless=True,
        )

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Once: a server that starts anew makes a new application."""
        async with self._doorkeeper.running(), self._manager.run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._is_open and not from_here(headers_called(scope, "host")):
            await answer(send, 421, "without a login this server answers to this machine alone")
            return
        if self._is_open and not no_others_page(headers_called(scope, "origin")):
            await answer(send, 403, "without a login no page of another server's is answered")
            return
        try:
            who = await self._doorkeeper.authenticate(headers_called(scope, "authorization"))
        except NotKnown as error:
            log.warning("nobody came in: %s", error)
            await answer(send, 401, "show who you are", ("www-authenticate", CHALLENGE))
            return
        except Overloaded as error:
            await answer(send, 503, str(error), ("retry-after", "1"))
            return
        except DocgraphError as error:
            log.warning("nobody could come in: %s: %s", type(error).__name__, error)
            await answer(send, 503, "who you are cannot be told just now")
            return
        scope.setdefault("state", {})["principal"] = who  # for the log of whoever stands around us
        await self._let_in({**scope, ASKER: who}, receive, send)

    async def _let_in(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST":
            await answer(send, 405, "there are no sessions here: POST", ("allow", "POST"))
            return
        try:
            async with asyncio.timeout(self._limits.seconds):
                body = await whole_body(receive, self._limits.body)
        except TimeoutError:
            await answer(send, 408, "the body did not come in time")
            return
        except ClientDisconnected:
            await answer(send, 499, "whoever asked has left")
            return
        if body is None:
            await answer(send, 413, f"a request takes at most {self._limits.body} bytes")
        elif not _is_json(body):
            await answer(send, 400, "that is not JSON")
        else:
            await unless_they_leave(self._manager.handle_request, scope, body, receive, send)


def _asker(request: Any) -> Principal:
    found: Principal = request.scope[ASKER]
    return found


def _is_json(body: bytes) -> bool:
    """In UTF-8, and able to go out in it again: half a character is none. Nor is what is nested
    deeper than anybody reads."""
    try:
        json.dumps(json.loads(body.decode()), ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return False
    return True
