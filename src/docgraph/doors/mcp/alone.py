"""Listening alone: streamable HTTP at /mcp, on an address of its own."""

import asyncio
import logging
import signal
import socket
import sys
from collections.abc import Callable

from docgraph.doors.limited_server import LimitedServer, limited_config
from docgraph.doors.mcp.asgi import Receive, Scope, Send, answer
from docgraph.doors.mcp.over_http import McpApp
from docgraph.wiring.serve_settings import ServeSettings

PATH = "/mcp"


def listen(
    app: McpApp, place: socket.socket, told: Callable[[str], None], served: ServeSettings
) -> None:
    """Until SIGTERM or SIGINT; then for as long as it may drain, for whoever still waits."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    for sign in (signal.SIGTERM, signal.SIGINT):
        signal.signal(sign, _already_heard)
    config = limited_config(_only_there(app), served, lifespan="off")
    asyncio.run(_serve_http(app, LimitedServer(config), place, told))


async def _serve_http(
    app: McpApp, server: LimitedServer, place: socket.socket, told: Callable[[str], None]
) -> None:
    async with app.lifespan():
        told(_url(place))
        await server.serve(sockets=[place])


def _url(place: socket.socket) -> str:
    host, port = place.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}{PATH}"


def _only_there(app: McpApp) -> Callable[[Scope, Receive, Send], object]:
    async def served(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] in {PATH, f"{PATH}/"}:
            await app(scope, receive, send)
        else:
            await answer(send, 404, f"nothing is here; MCP is at {PATH}")

    return served


def _already_heard(*_: object) -> None:
    """The server drains on a signal, and raises it anew once it is done: then there is no need."""
