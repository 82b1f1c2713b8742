"""The app: every address, every error's shape, and who stands at the mount."""

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
    content,
    health,
    ingestions,
    proofs,
    questions,
    relations,
)
from docgraph.interfaces.http.server.app_state import AppState, SingleFlight, lifespan
from docgraph.interfaces.http.server.middleware import (
    AccessLogMiddleware,
    BodyLimitMiddleware,
    LocalOnlyMiddleware,
)

# Apps mounted beside the routes: MCP, where it is installed.


MCP = "/mcp"


@dataclass(frozen=True, slots=True)
class Mount:
    """An app under one path; `running` is entered while the server runs."""

    path: str
    app: ASGIApp
    running: Callable[[], AbstractAsyncContextManager[Any]]


class MountRoute(Route):
    """Names itself in the scope, as FastAPI's own routes do."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        found, more = super().matches(scope)
        return found, {**more, "route": self}


def mounts(state: AppState) -> tuple[Mount, ...]:
    if find_spec("mcp") is None:
        return ()
    from docgraph.interfaces.mcp.http_transport import mcp_app
    from docgraph.interfaces.mcp.tool_context import limits_of

    limits = limits_of(state.settings)
    app = mcp_app(state.engine, state.login, state.pipelines.named, limits, state.questions)
    return (Mount(MCP, app, app.lifespan),)


ROUTERS = (
    *(questions.router, ask.router, content.router, relations.router),
    *(proofs.router, ingestions.router, health.router),
)
# FastAPI would report to a configured OpenTelemetry provider, with messages of errors.
NO_TELEMETRY: dict[str, Any] = {
    "telemetry": {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}
}


def make_app(state: AppState, mounted: tuple[Mount, ...] = ()) -> FastAPI:
    guards = [Middleware(LocalOnlyMiddleware)] if state.login.open_to_local else []
    authenticator, ready = Authenticator(state.login), SingleFlight(state.check_store)
    running = (authenticator.running, ready.running, *(mount.running for mount in mounted))
    app = FastAPI(
        title="docgraph",
        version=__version__,
        summary="Evidence for language models, with a proof for every piece of it.",
        docs_url=None,  # those pages would be fetched from elsewhere
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lambda _: lifespan(state, running),
        middleware=[
            Middleware(AccessLogMiddleware, metrics=state.metrics, tracer=state.tracer),
            *guards,
            Middleware(BodyLimitMiddleware, most=state.settings.body_bytes),
        ],
        **NO_TELEMETRY,
    )
    app.state.docgraph, app.state.authenticator, app.state.store_answers = (
        state,
        authenticator,
        ready,
    )
    handle_errors(app)
    for router in ROUTERS:
        app.include_router(router)
    for mount in mounted:
        app.router.routes += [
            MountRoute(path, mount.app) for path in (mount.path, f"{mount.path}/")
        ]
    describe(app)
    return app
