"""Transports: standard input and output for one client, or HTTP on an address of its own."""

import asyncio
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
from docgraph.interfaces.terminal import log_to_stderr
from docgraph.wiring.server_settings import ServeSettings


def serve_stdio(server: Server[Any, Any]) -> None:
    """Until standard input ends. Ctrl-C ends the process, since a read cannot be woken."""
    log_to_stderr()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    with redirect_stdout():
        asyncio.run(_serve_stdio(server))


async def _serve_stdio(server: Server[Any, Any]) -> None:
    async with stdio_server() as (incoming, outgoing):
        sys.stdout = sys.stderr  # a print from here on does not reach the protocol
        await server.run(incoming, outgoing, server.create_initialization_options())


@contextmanager
def redirect_stdout() -> Iterator[None]:
    """Standard output is the protocol's alone: what a library writes there goes to standard error.

    The SDK writes to `sys.stdout`, which is therefore a copy of the original.
    """
    sys.stdout.flush()
    original, before = os.dup(1), sys.stdout
    os.dup2(2, 1)
    out = TextIOWrapper(
        os.fdopen(original, "wb"), encoding="utf-8"
    )  # a reference, else it would be closed
    sys.stdout = out
    try:
        yield
    finally:
        sys.stdout = before


# Streamable HTTP at /mcp, on an address of its own.


PATH = "/mcp"


def listen(
    app: McpApp, listener: socket.socket, on_listening: Callable[[str], None], served: ServeSettings
) -> None:
    """Until SIGTERM or SIGINT; open requests are then finished within the time to drain."""
    log_to_stderr()
    for sign in (signal.SIGTERM, signal.SIGINT):
        signal.signal(sign, _ignore)
    config = limited_config(_at_path(app), served, lifespan="off")
    asyncio.run(_serve_http(app, LimitedServer(config), listener, on_listening))


async def _serve_http(
    app: McpApp, server: LimitedServer, listener: socket.socket, on_listening: Callable[[str], None]
) -> None:
    async with app.lifespan():
        on_listening(_url(listener))
        await server.serve(sockets=[listener])


def _url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}{PATH}"


def _at_path(app: McpApp) -> Callable[[Scope, Receive, Send], object]:
    async def served(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] in {PATH, f"{PATH}/"}:
            await app(scope, receive, send)
        else:
            await answer(send, 404, f"nothing is here; MCP is at {PATH}")

    return served


def _ignore(*_: object) -> None:
    """The server has drained, and raises the signal again."""
