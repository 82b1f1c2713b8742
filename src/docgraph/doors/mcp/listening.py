"""Listening alone: streamable HTTP at /mcp, on an address of its own."""

import asyncio
import logging
import signal
import socket
import sys
from collections.abc import Callable
from ipaddress import ip_address
from typing import Any

import uvicorn

from docgraph.doors.mcp.asgi import Receive, Scope, Send, answer
from docgraph.doors.mcp.over_http import McpApp
from docgraph.model.errors import BadInput

PATH = "/mcp"


def bound(host: str, port: int, *, open_to_local: bool) -> socket.socket:
    """An address that others can reach is refused where no login is configured.

    By the address that the name stands for; nobody is listened to yet.
    """
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        if open_to_local and not ip_address(address[0]).is_loopback:
            raise BadInput(
                f"{host} can be reached from other machines, and no login is configured; "
                "configure one, or listen on 127.0.0.1"
            )
        return _bound(socket.socket(family, kind), address)
    except OSError as error:
        raise BadInput(f"cannot listen on {host} port {port}: {error.strerror}") from error


def _bound(place: socket.socket, address: Any) -> socket.socket:
    try:
        place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        place.bind(address)
    except OSError:
        place.close()
        raise
    return place


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
    place.listen()
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
