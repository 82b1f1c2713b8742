"""Other doors behind this one, under addresses of their own: MCP, where it is installed."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from starlette.routing import Match, Route
from starlette.types import ASGIApp, Scope

from docgraph.doors.http.house import House

MCP = "/mcp"


@dataclass(frozen=True, slots=True)
class Mounted:
    """Another door behind this one, under one address; `running` is entered while the app runs."""

    path: str
    app: ASGIApp
    running: Callable[[], AbstractAsyncContextManager[Any]]


class DoorRoute(Route):
    """Says that it was taken, as FastAPI's own routes do."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        found, more = super().matches(scope)
        return found, {**more, "route": self}


def behind(house: House) -> tuple[Mounted, ...]:
    if find_spec("mcp") is None:
        return ()
    from docgraph.doors.mcp.limits import limits_of
    from docgraph.doors.mcp.over_http import mcp_app

    limits = limits_of(house.settings)
    app = mcp_app(house.engine, house.login, house.pipelines.named, limits)
    return (Mounted(MCP, app, app.lifespan),)
