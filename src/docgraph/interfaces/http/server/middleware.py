"""Middleware: body limit, loopback only, metrics, access log and safe headers."""

import logging
import secrets
import time
from collections.abc import Callable

from fastapi import HTTPException
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.multiprocess import MultiProcessCollector
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from docgraph.interfaces.http.problems import problem, unexpected
from docgraph.interfaces.server.listener import are_local_origins, is_local_host
from docgraph.ports.tracer import NO_TRACER, Tracer

# The body limit holds with and without Content-Length.


class BodyTooLarge(HTTPException):
    """Becomes a problem, unless the response has begun."""


class BodyLimitMiddleware:
    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app = app
        self._most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        message = f"a request takes at most {self._most} bytes"
        length = Headers(scope=scope).get("content-length", "0")
        if not length.isdecimal() or len(length) > 20 or int(length) > self._most:
            await problem(413, message)(scope, receive, send)
            return
        read = 0

        async def counted() -> Message:
            nonlocal read
            part = await receive()
            read += len(part.get("body", b""))
            if read > self._most:
                raise BodyTooLarge(413, message)
            return part

        await self._app(scope, counted, send)


# Without a login, only programs of this machine are served.


class LocalOnlyMiddleware:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if not is_local_host(headers.getlist("host")):
            message = "without a login this server answers to localhost, 127.0.0.1 and [::1] alone"
            await problem(421, message)(scope, receive, send)
        elif not are_local_origins(headers.getlist("origin")):
            message = "without a login this server answers no page of another server's"
            await problem(403, message)(scope, receive, send)
        else:
            await self._app(scope, receive, send)


# Metrics for Prometheus: counts, durations, outcomes. No ids, no tenants, no text.


MEDIA_TYPE = CONTENT_TYPE_LATEST
METHODS = frozenset({"GET", "POST", "DELETE", "HEAD", "OPTIONS", "PUT", "PATCH"})
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)


class Metrics:
    """Of one server, in its own registry; `folder` is where its processes add theirs."""

    def __init__(self, folder: str | None = None) -> None:
        self._folder = folder
        registry = self._registry = CollectorRegistry()
        labels = ("method", "route")
        self._requests = Counter(
            "docgraph_http_requests",
            "Requests by how they ended.",
            (*labels, "status"),
            registry=registry,
        )
        self._seconds = Histogram(
            "docgraph_http_request_seconds",
            "How long they took.",
            labels,
            buckets=SECONDS,
            registry=registry,
        )
        self.in_flight = Gauge(
            "docgraph_http_in_flight",
            "Requests being served now.",
            registry=registry,
            multiprocess_mode="livesum",
        )
        self.pending = Gauge(
            "docgraph_questions_held",
            "Questions that are worked on or wait for a worker.",
            registry=registry,
            multiprocess_mode="livesum",
        )
        self._ingestions = Counter(
            "docgraph_ingestions", "Ingest jobs by how they ended.", ("outcome",), registry=registry
        )

    def count_request(self, method: str, route: str, status: int, seconds: float) -> None:
        """`route` is the template of a path, so that no id becomes a label."""
        known = method if method in METHODS else "other"
        self._requests.labels(known, route, str(status)).inc()
        self._seconds.labels(known, route).observe(seconds)

    def count_ingestion(self, outcome: str) -> None:
        self._ingestions.labels(outcome).inc()

    def render(self) -> bytes:
        if self._folder is None:
            return generate_latest(self._registry)
        every = CollectorRegistry()
        MultiProcessCollector(every, self._folder)  # type: ignore[no-untyped-call]
        return generate_latest(every)


LOG = logging.getLogger("docgraph.access")
SAFE = (
    ("x-content-type-options", "nosniff"),
    ("cache-control", "no-store"),
    ("referrer-policy", "no-referrer"),
    ("content-security-policy", "default-src 'none'; frame-ancestors 'none'"),
)
NO_ROUTE = "unmatched"


class AccessLogMiddleware:
    """The outermost: an error that nothing else caught becomes a problem, and is logged."""

    def __init__(
        self,
        app: ASGIApp,
        metrics: Metrics,
        tracer: Tracer = NO_TRACER,
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
        with self._tracer.span(f"HTTP {scope['method'][:10]}", _trace_headers(scope)) as span:
            status = await self._serve(scope, receive, send)
            span.set({"http.route": route_of(scope), "http.response.status_code": status})

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> int:
        """The status of the response; 0 where there was none."""
        began, request_id = self._clock(), self._new_id()
        scope.setdefault("state", {})["request_id"] = request_id
        status = 0

        async def send_with_headers(message: Message) -> None:
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
            await self._app(scope, receive, send_with_headers)
        except Exception as error:
            if not status:
                await unexpected(request_id, error)(scope, receive, send_with_headers)
            else:
                LOG.exception("%s: broke off", request_id)
        finally:
            self._metrics.in_flight.dec()
            seconds = self._clock() - began
            route = route_of(scope)
            self._metrics.count_request(scope["method"], route, status, seconds)
            LOG.info(
                "%s %s %d %.1fms %s %s",
                *(scope["method"][:10], route, status, seconds * 1000, request_id),
                _who(scope),
            )
        return status


def _trace_headers(scope: Scope) -> dict[str, str]:
    """The trace that this request belongs to; no other header is read."""
    headers = Headers(scope=scope)
    return {name: headers[name] for name in ("traceparent", "tracestate") if name in headers}


def route_of(scope: Scope) -> str:
    """The template of the path, never the path."""
    found = getattr(scope.get("route"), "path", None)
    return found if isinstance(found, str) else NO_ROUTE


def _who(scope: Scope) -> str:
    principal = scope["state"].get("principal")
    return "-" if principal is None else ascii(principal.id)[1:-1].replace(" ", "_")
