"""The app: every address, every error's shape, and who stands at the door."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from fastapi import FastAPI
from starlette.middleware import Middleware
from starlette.routing import Match, Route
from starlette.types import ASGIApp, Scope

from docgraph import __version__
from docgraph.interfaces.auth.authentication import Authenticator
from docgraph.interfaces.http.openapi import describe
from docgraph.interfaces.http.problems import handle_errors
from docgraph.interfaces.http.routes import (
    ask,
    health,
    ingestions,
    nodes,
    proofs,
    questions,
    relations,
    snapshots,
)
from docgraph.interfaces.http.server.app_state import AppState, SingleFlight, lifespan
from docgraph.interfaces.http.server.middleware import (
    AccessLogMiddleware,
    BodyLimitMiddleware,
    LocalOnlyMiddleware,
)

# Other doors behind this one, under addresses of their own: MCP, where it is installed.


MCP = "/mcp"


@dataclass(frozen=True, slots=True)
class Mount:
    """Another door behind this one, under one address; `running` is entered while the app runs."""

    path: str
    app: ASGIApp
    running: Callable[[], AbstractAsyncContextManager[Any]]


class MountRoute(Route):
    """Says that it was taken, as FastAPI's own routes do."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        found, more = super().matches(scope)
        return found, {**more, "route": self}


def mounts(house: AppState) -> tuple[Mount, ...]:
    if find_spec("mcp") is None:
        return ()
    from docgraph.interfaces.mcp.http_transport import mcp_app
    from docgraph.interfaces.mcp.tool_context import limits_of

    limits = limits_of(house.settings)
    app = mcp_app(house.engine, house.login, house.pipelines.named, limits)
    return (Mount(MCP, app, app.lifespan),)


ROUTERS = (
    *(questions.router, ask.router, nodes.router, relations.router),
    *(snapshots.router, proofs.router, ingestions.router, health.router),
)
# FastAPI would report to whoever configures OpenTelemetry, with messages of errors.
SILENT: dict[str, Any] = {
    "telemetry": {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}
}


def make_app(house: AppState, mounted: tuple[Mount, ...] = ()) -> FastAPI:
    guards = [Middleware(LocalOnlyMiddleware)] if house.login.open_to_local else []
    doorkeeper, ready = Authenticator(house.login), SingleFlight(house.store_answers)
    running = (doorkeeper.running, ready.running, *(door.running for door in mounted))
    app = FastAPI(
        title="docgraph",
        version=__version__,
        summary="Evidence for language models, with a proof for every piece of it.",
        docs_url=None,  # those pages would be fetched from elsewhere
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lambda _: lifespan(house, running),
        middleware=[
            Middleware(AccessLogMiddleware, metrics=house.metrics, tracer=house.tracer),
            *guards,
            Middleware(BodyLimitMiddleware, most=house.settings.body_bytes),
        ],
        **SILENT,
    )
    app.state.house, app.state.doorkeeper, app.state.store_answers = house, doorkeeper, ready
    handle_errors(app)
    for router in ROUTERS:
        app.include_router(router)
    for door in mounted:
        app.router.routes += [MountRoute(path, door.app) for path in (door.path, f"{door.path}/")]
    describe(app)
    return app
