"""/healthz, /readyz and /metrics: is this process alive, ready, and busy? Without a login."""

import asyncio
import logging
from typing import Any

from fastapi import APIRouter, HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from docgraph.interfaces.http.openapi import BY_ANYBODY, operation_docs, problem_docs
from docgraph.interfaces.http.problems import problem
from docgraph.interfaces.http.responses import HealthResponse, as_json
from docgraph.interfaces.http.server.app_state import SingleFlight, app_state_of
from docgraph.interfaces.http.server.middleware import MEDIA_TYPE
from docgraph.model.errors import DocgraphError
from docgraph.wiring.auth_settings import is_loopback

LOG = logging.getLogger("docgraph.http")
LONGEST = 5.0  # seconds that a store may take to answer
router = APIRouter(tags=["operation"])
_EXAMPLE = 'docgraph_http_requests_total{method="POST",route="/v1/search",status="200"} 3.0\n'
_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/plain": {"example": _EXAMPLE}}},
    **{code: problem_docs(code) for code in sorted({*BY_ANYBODY, 404})},
}


@router.get(
    "/healthz", response_model=HealthResponse, **operation_docs("healthz", body=False, known=False)
)
async def healthz() -> Response:
    """Whether this process lives."""
    return _healthy("alive")


@router.get(
    "/readyz", response_model=HealthResponse, **operation_docs("readyz", body=False, known=False)
)
async def readyz(request: Request) -> Response:
    """Whether it can answer: models are loaded, the store answers, it is not about to end."""
    state = app_state_of(request)
    if state.server_state.draining:
        return _not_ready("this server is about to end")
    if not state.server_state.ready:
        return _not_ready("models are still being loaded")
    return _healthy("ready") if await _store_answers(request) else _not_ready("no store answers")


@router.get(
    "/metrics", response_class=PlainTextResponse, operation_id="metrics", responses=_RESPONSES
)
async def metrics(request: Request) -> Response:
    """How many requests, how long, how they ended, in all processes; for Prometheus.

    They are of all tenants: unless the operator opens them, they are for this machine alone.
    """
    state = app_state_of(request)
    if state.settings.metrics != "open" and not _from_here(request):
        raise HTTPException(404)
    return Response(state.metrics.render(), media_type=MEDIA_TYPE)


async def _store_answers(request: Request) -> bool:
    ask: SingleFlight = request.app.state.store_answers
    try:
        async with asyncio.timeout(LONGEST):
            await ask()
    except (DocgraphError, OSError, TimeoutError) as error:
        LOG.warning("not ready: %s: %s", type(error).__name__, error)
        return False
    return True


def _from_here(request: Request) -> bool:
    """By the client's address; an IPv4 one may be written as IPv6."""
    host = request.client.host if request.client else ""
    return is_loopback(host.removeprefix("::ffff:"))


def _healthy(status: str) -> Response:
    return Response(as_json(HealthResponse(status)), media_type="application/json")


def _not_ready(words: str) -> Response:
    return problem(503, words, headers={"Retry-After": "1"})
