"""Other doors behind this one, under addresses of their own: MCP, where it is installed."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from starlette.types import ASGIApp

from docgraph.doors.http.house import House

MCP = "/mcp"


@dataclass(frozen=True, slots=True)
class Mounted:
    """Another door behind this one, under one address; `running` is entered while the app runs."""

    path: str
    app: ASGIApp
    running: Callable[[], AbstractAsyncContextManager[Any]]


def behind(house: House) -> tuple[Mounted, ...]:
    if find_spec("mcp") is None:
        return ()
    from docgraph.doors.mcp.limits import limits_of
    from docgraph.doors.mcp.over_http import mcp_app

    limits = limits_of(house.settings)
    app = mcp_app(house.engine, house.login, house.pipelines.named, limits)
    return (Mounted(MCP, app, app.lifespan),)
