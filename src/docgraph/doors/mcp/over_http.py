"""Over HTTP: whoever comes shows who they are, on every request, before anything else is read."""

import asyncio
import json
import logging
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings

from docgraph.doors.mcp.asgi import (
    Receive,
    Scope,
    Send,
    answer,
    headers_called,
    unless_they_leave,
    whole_body,
)
from docgraph.doors.mcp.desk import Desk
from docgraph.doors.mcp.limits import Limits
from docgraph.doors.mcp.server import mcp_server
from docgraph.engine import Engine
from docgraph.model.access import Principal
from docgraph.model.errors import DocgraphError, NotKnown
from docgraph.pipeline.pipeline import Pipeline

ASKER = "docgraph.asker"
CHALLENGE = 'Bearer realm="docgraph"'
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
log = logging.getLogger("docgraph.mcp")


class KnowsWho(Protocol):
    """What of `doors.login` this door needs."""

    @property
    def open_to_local(self) -> bool: ...

    def who(self, authorization: str | None) -> Principal: ...


def mcp_app(
    engine: Engine,
    login: KnowsWho,
    pipelines: Mapping[str, Pipeline],
    limits: Limits | None = None,
) -> "McpApp":
    """To be put at a path of its own, such as /mcp, and run in `lifespan`."""
    return McpApp(Desk(engine, pipelines, limits or Limits()), login)


class McpApp:
    """An ASGI application. It keeps no sessions: any replica answers any request.

    Who asks stands in the request's own scope, put there by `login` and by nobody else.
    """

    def __init__(self, desk: Desk, login: KnowsWho) -> None:
        self._login = login
        self._most = desk.limits.body
        self._manager = StreamableHTTPSessionManager(
            mcp_server(desk, _asker, from_afar=True),
            json_response=True,  # a stream of events would be cut where a server drains
            stateless=True,
            security_settings=_guard(login),
        )

    def lifespan(self) -> AbstractAsyncContextManager[None]:
        """Once: a server that starts anew makes a new application."""
        return self._manager.run()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            who = await asyncio.to_thread(self._login.who, _shown(scope))
        except NotKnown as error:
            log.warning("nobody came in: %s", error)
            await answer(send, 401, "show who you are", ("www-authenticate", CHALLENGE))
            return
        except DocgraphError as error:
            log.warning("nobody could come in: %s: %s", type(error).__name__, error)
            await answer(send, 503, "who you are cannot be told just now")
            return
        await self._let_in({**scope, ASKER: who}, receive, send)

    async def _let_in(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST":
            await answer(send, 405, "there are no sessions here: POST", ("allow", "POST"))
            return
        body = await whole_body(receive, self._most)
        if body is None:
            await answer(send, 413, f"a request takes at most {self._most} bytes")
        elif not _is_json(body):
            await answer(send, 400, "that is not JSON")
        else:
            await unless_they_leave(self._manager.handle_request, scope, body, receive, send)


def _shown(scope: Scope) -> str | None:
    """Of two, a proxy in front of us may have checked the other one."""
    match headers_called(scope, "authorization"):
        case []:
            return None
        case [one]:
            return one
        case _:
            raise NotKnown("more than one Authorization header")


def _asker(request: Any) -> Principal:
    found: Principal = request.scope[ASKER]
    return found


def _guard(login: KnowsWho) -> TransportSecuritySettings:
    """Without a login, a page in a browser must not reach a store by a name that it made up."""
    hosts = [*LOOPBACK, *(f"{host}:*" for host in LOOPBACK)]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=login.open_to_local,
        allowed_hosts=hosts,
        allowed_origins=[f"{scheme}://{host}" for scheme in ("http", "https") for host in hosts],
    )


def _is_json(body: bytes) -> bool:
    """Nested deeper than anybody reads is none, either."""
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        return False
    return True
