"""Listening alone: streamable HTTP at /mcp, on an address of its own."""

import asyncio
import logging
import signal
import socket
import sys
from collections.abc import Callable

import uvicorn

from docgraph.doors.mcp.asgi import Receive, Scope, Send, answer
from docgraph.doors.mcp.over_http import McpApp

PATH = "/mcp"


def listen(app: McpApp, place: socket.socket, told: Callable[[str], None], drain: float) -> None:
    """Until SIGTERM or SIGINT; then for at most `drain` seconds more, for whoever still waits."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    for sign in (signal.SIGTERM, signal.SIGINT):
        signal.signal(sign, _already_heard)
    config = uvicorn.Config(
        _only_there(app),
        lifespan="off",
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=round(drain),
    )
    asyncio.run(_served(app, uvicorn.Server(config), place, told))


async def _served(
    app: McpApp, server: uvicorn.Server, place: socket.socket, told: Callable[[str], None]
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
