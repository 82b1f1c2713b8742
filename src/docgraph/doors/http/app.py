"""The app: every address, every error's shape, and who stands at the door."""

from typing import Any

from fastapi import FastAPI
from starlette.middleware import Middleware

from docgraph import __version__
from docgraph.doors.doorkeeper import Doorkeeper
from docgraph.doors.http import (
    ask,
    explain,
    health,
    ingestions,
    nodes,
    relations,
    search,
    snapshots,
)
from docgraph.doors.http.behind import DoorRoute, Mounted
from docgraph.doors.http.bounded import Bounded
from docgraph.doors.http.handlers import handle_errors
from docgraph.doors.http.house import House
from docgraph.doors.http.living import living
from docgraph.doors.http.once_at_a_time import OnceAtATime
from docgraph.doors.http.only_local import OnlyLocal
from docgraph.doors.http.openapi import describe
from docgraph.doors.http.watched import Watched

ROUTERS = (
    *(search.router, ask.router, nodes.router, relations.router),
    *(snapshots.router, explain.router, ingestions.router, health.router),
)
# FastAPI would report to whoever configures OpenTelemetry, with messages of errors.
SILENT: dict[str, Any] = {
    "telemetry": {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}
}


def make_app(house: House, mounted: tuple[Mounted, ...] = ()) -> FastAPI:
    guards = [Middleware(OnlyLocal)] if house.login.open_to_local else []
    doorkeeper, ready = Doorkeeper(house.login), OnceAtATime(house.store_answers)
    running = (doorkeeper.running, ready.running, *(door.running for door in mounted))
    app = FastAPI(
        title="docgraph",
        version=__version__,
        summary="Evidence for language models, with a proof for every piece of it.",
        docs_url=None,  # those pages would be fetched from elsewhere
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lambda _: living(house, running),
        middleware=[
            Middleware(Watched, metrics=house.metrics, tracer=house.engine.tracer),
            *guards,
            Middleware(Bounded, most=house.settings.body_bytes),
        ],
        **SILENT,
    )
    app.state.house, app.state.doorkeeper, app.state.store_answers = house, doorkeeper, ready
    handle_errors(app)
    for router in ROUTERS:
        app.include_router(router)
    for door in mounted:
        app.router.routes += [DoorRoute(path, door.app) for path in (door.path, f"{door.path}/")]
    describe(app)
    return app
