"""Every request is watched: it gets an id, a line in the log, a count, and safe headers."""

import logging
import secrets
import time
from collections.abc import Callable

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from docgraph.doors.http.handlers import unforeseen
from docgraph.doors.http.metrics import Metrics
from docgraph.ports.tracer import SILENT, Tracer

LOG = logging.getLogger("docgraph.access")
SAFE = (
    ("x-content-type-options", "nosniff"),
    ("cache-control", "no-store"),
    ("referrer-policy", "no-referrer"),
    ("content-security-policy", "default-src 'none'; frame-ancestors 'none'"),
)
NO_ROUTE = "unmatched"


class Watched:
    """The outermost: what no one else has caught becomes a problem here, and a line in the log."""

    def __init__(
        self,
        app: ASGIApp,
        metrics: Metrics,
        tracer: Tracer = SILENT,
        clock: Callable[[], float] = time.perf_counter,
        new_id: Callable[[], str] = lambda: secrets.token_hex(8),
    ) -> None:
        self._app = app
        self._metrics = metrics
        self._tracer = tracer
        self._clock = clock
        self._new_id = new_id

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        with self._tracer.span(f"HTTP {scope['method'][:10]}", _caller(scope)) as span:
            status = await self._watched(scope, receive, send)
            span.tell({"http.route": route_of(scope), "http.response.status_code": status})

    async def _watched(self, scope: Scope, receive: Receive, send: Send) -> int:
        """The status that was answered; 0 where there was no answer."""
        began, request_id = self._clock(), self._new_id()
        scope.setdefault("state", {})["request_id"] = request_id
        status = 0

        async def told(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["x-request-id"] = request_id
                for name, value in SAFE:
                    headers[name] = value
            await send(message)

        self._metrics.in_flight.inc()
        try:
            await self._app(scope, receive, told)
        except Exception as error:
            if not status:
                await unforeseen(request_id, error)(scope, receive, told)
            else:
                LOG.exception("%s: broke off", request_id)
        finally:
            self._metrics.in_flight.dec()
            seconds = self._clock() - began
            route = route_of(scope)
            self._metrics.served(scope["method"], route, status, seconds)
            LOG.info(
                "%s %s %d %.1fms %s %s",
                *(scope["method"][:10], route, status, seconds * 1000, request_id),
                _who(scope),
            )
        return status


def _caller(scope: Scope) -> dict[str, str]:
    """Whose trace this request is a part of; no other header is looked at."""
    headers = Headers(scope=scope)
    return {name: headers[name] for name in ("traceparent", "tracestate") if name in headers}


def route_of(scope: Scope) -> str:
    """The template of the address, never the address."""
    found = getattr(scope.get("route"), "path", None)
    return found if isinstance(found, str) else NO_ROUTE


def _who(scope: Scope) -> str:
    principal = scope["state"].get("principal")
    return "-" if principal is None else ascii(principal.id)[1:-1].replace(" ", "_")
