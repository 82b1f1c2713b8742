"""Over standard input and output: one client, who started this process."""

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server


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
