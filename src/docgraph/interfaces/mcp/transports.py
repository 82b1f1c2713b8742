"""Over standard input and output: one client, who started this process."""

import asyncio
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from docgraph.interfaces.mcp.http_transport import McpApp, Receive, Scope, Send, answer
from docgraph.interfaces.server.connection_limits import LimitedServer, limited_config
from docgraph.wiring.server_settings import ServeSettings


def serve_stdio(server: Server[Any, Any]) -> None:
    """Until standard input ends. Ctrl-C ends it at once: a read of standard input hears nothing."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    with protocol_alone():
        asyncio.run(_serve_stdio(server))


async def _serve_stdio(server: Server[Any, Any]) -> None:
    async with stdio_server() as (heard, said):
        sys.stdout = sys.stderr  # whoever prints from here on does not print into the protocol
        await server.run(heard, said, server.create_initialization_options())


@contextmanager
def protocol_alone() -> Iterator[None]:
    """Standard output for the protocol and nothing else: what a library writes there is diverted.

    The SDK takes `sys.stdout` as it finds it, so that is where the protocol's own stands.
    """
    sys.stdout.flush()
    kept, before = os.dup(1), sys.stdout
    os.dup2(2, 1)
    out = TextIOWrapper(os.fdopen(kept, "wb"), encoding="utf-8")  # held here: else it would close
    sys.stdout = out
    try:
        yield
    finally:
        sys.stdout = before


# Listening alone: streamable HTTP at /mcp, on an address of its own.


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
