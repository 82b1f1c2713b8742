"""The official client of the Model Context Protocol, over each transport."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.server.lowlevel import Server
from mcp.shared.memory import create_connected_server_and_client_session
from mcp.types import CallToolResult, TextContent


@asynccontextmanager
async def over_http(url: str, secret: str | None = None) -> AsyncIterator[ClientSession]:
    headers = {"Authorization": f"Bearer {secret}"} if secret else {}
    async with (
        httpx.AsyncClient(headers=headers, timeout=30) as http,
        streamable_http_client(url, http_client=http) as (read_stream, write_stream, _),
        ClientSession(read_stream, write_stream) as session,
    ):
        await session.initialize()
        yield session


@asynccontextmanager
async def over_stdio(*words: str, folder: Path, log: Path) -> AsyncIterator[ClientSession]:
    """`words` is the command; what it says on standard error goes to `log`."""
    command = StdioServerParameters(command=words[0], args=list(words[1:]), cwd=folder)
    with log.open("w") as errors:
        async with (
            stdio_client(command, errlog=errors) as (read_stream, write_stream),
            ClientSession(read_stream, write_stream) as session,
        ):
            await session.initialize()
            yield session


@asynccontextmanager
async def in_memory(server: Server[Any, Any]) -> AsyncIterator[ClientSession]:
    async with create_connected_server_and_client_session(server) as session:
        yield session


def text(result: CallToolResult) -> str:
    (item,) = result.content
    assert isinstance(item, TextContent)
    return item.text


async def call_tool(session: ClientSession, tool: str, **given: Any) -> Any:
    """The structured result of a tool, which is no error and has text, too."""
    result = await session.call_tool(tool, given)
    assert not result.isError, text(result)
    assert text(result)
    return result.structuredContent


async def call_error(session: ClientSession, tool: str, **given: Any) -> str:
    result = await session.call_tool(tool, given)
    assert result.isError
    assert result.structuredContent is None
    return text(result)


def as_json(result: CallToolResult) -> Any:
    return json.loads(text(result))
