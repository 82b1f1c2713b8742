"""The HTTP transport: every request is authenticated before its body is read."""

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
from docgraph.interfaces.server.fair_queue import Overloaded
from docgraph.interfaces.server.listener import are_local_origins, is_local_host
from docgraph.interfaces.server.worker_pool import WorkerPool, user_key
from docgraph.model.access import Principal
from docgraph.model.errors import DocgraphError, NotAuthenticated
from docgraph.pipeline.pipeline import Pipeline

# The parts of ASGI that are used here.


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


def header_values(scope: Scope, name: str) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key.decode() == name]


class ClientDisconnected(Exception):
    """Before the whole body had arrived."""


async def read_body(receive: Receive, most: int) -> bytes | None:
    """None if it is longer. Raises ClientDisconnected."""
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


async def run_until_disconnect(
    app: App, scope: Scope, body: bytes, receive: Receive, send: Send
) -> None:
    """Cancels the work for a client that has disconnected."""
    disconnected = asyncio.ensure_future(_disconnected(receive))
    parts = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def receive_part() -> Message:
        for part in parts:
            return part
        await asyncio.shield(disconnected)
        return {"type": "http.disconnect"}

    working = asyncio.ensure_future(app(scope, receive_part, send))
    try:
        await asyncio.wait({working, disconnected}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            working.result()
    finally:
        for task in (working, disconnected):
            task.cancel()
        await asyncio.gather(working, disconnected, return_exceptions=True)


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


PRINCIPAL = "docgraph.principal"
CHALLENGE = 'Bearer realm="docgraph"'
log = logging.getLogger("docgraph.mcp")


def mcp_app(
    engine: Engine,
    login: AuthBackend,
    pipelines: Mapping[str, Pipeline],
    limits: Limits | None = None,
    workers: WorkerPool | None = None,
) -> "McpApp":
    """To be mounted at a path such as /mcp, and run in `lifespan`.

    `workers` of a server that answers questions elsewhere, too, do the work; else its own do.
    """
    return McpApp(ToolContext(engine, pipelines, limits or Limits()), login, workers)


class McpApp:
    """An ASGI application. It keeps no sessions: any replica answers any request.

    The principal is stored in the request's scope, by the authenticator alone.
    """

    def __init__(
        self, context: ToolContext, login: AuthBackend, workers: WorkerPool | None = None
    ) -> None:
        self._is_open = login.open_to_local
        self._authenticator = Authenticator(login)
        self._limits = context.limits
        self._manager = StreamableHTTPSessionManager(
            mcp_server(
                context,
                _principal,
                from_afar=True,
                whose=lambda request: user_key(_principal(request)),
                workers=workers,
            ),
            json_response=True,  # a stream of events would be cut where a server drains
            stateless=True,
        )

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """To be entered once: a restarted server makes a new application."""
        async with self._authenticator.running(), self._manager.run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._is_open and not is_local_host(header_values(scope, "host")):
            await answer(send, 421, "without a login this server answers to this machine alone")
            return
        if self._is_open and not are_local_origins(header_values(scope, "origin")):
            await answer(send, 403, "without a login no page of another server's is answered")
            return
        try:
            who = await self._authenticator.authenticate(header_values(scope, "authorization"))
        except NotAuthenticated as error:
            log.warning("not authenticated: %s", error)
            await answer(send, 401, "show who you are", ("www-authenticate", CHALLENGE))
            return
        except Overloaded as error:
            await answer(send, 503, str(error), ("retry-after", "1"))
            return
        except DocgraphError as error:
            log.warning("authentication failed: %s: %s", type(error).__name__, error)
            await answer(send, 503, "authentication is not available just now")
            return
        scope.setdefault("state", {})["principal"] = who  # for the access log
        await self._serve({**scope, PRINCIPAL: who}, receive, send)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST":
            await answer(send, 405, "there are no sessions here: POST", ("allow", "POST"))
            return
        try:
            async with asyncio.timeout(self._limits.seconds):
                body = await read_body(receive, self._limits.body)
        except TimeoutError:
            await answer(send, 408, "the body did not come in time")
            return
        except ClientDisconnected:
            await answer(send, 499, "the client has disconnected")
            return
        if body is None:
            await answer(send, 413, f"a request takes at most {self._limits.body} bytes")
        elif not _is_json(body):
            await answer(send, 400, "that is not JSON")
        else:
            await run_until_disconnect(self._manager.handle_request, scope, body, receive, send)


def _principal(request: Any) -> Principal:
    found: Principal = request.scope[PRINCIPAL]
    return found


def _is_json(body: bytes) -> bool:
    """In valid UTF-8, without lone surrogates, and not nested too deeply."""
    try:
        json.dumps(json.loads(body.decode()), ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return False
    return True
