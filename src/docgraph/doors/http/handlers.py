"""What becomes of an error on its way out: always a problem, never a trace of the inside."""

import logging
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from docgraph.doors.http.problem import Wrong, problem
from docgraph.doors.http.refusal import refusal_of
from docgraph.model.errors import DocgraphError

LOG = logging.getLogger("docgraph.http")
MOST_TOLD = 10
_WORDS = {
    404: "there is no such address; /openapi.json lists those that are there",
    405: "the header Allow says which methods are",
}


def handle_errors(app: FastAPI) -> None:
    app.add_exception_handler(DocgraphError, refused)
    app.add_exception_handler(RequestValidationError, not_usable)
    app.add_exception_handler(HTTPException, not_served)


async def refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, DocgraphError)
    return refusal_response(request_id(request), error)


def refusal_response(request_id: str, error: DocgraphError) -> Response:
    refusal = refusal_of(error)
    if refusal is None:
        return unforeseen(request_id, error)
    if refusal.logged:
        LOG.warning("%s: %s: %s", request_id, type(error).__name__, error)
    words = refusal.words or str(error)
    return problem(refusal.status, words, headers=refusal.headers)


def unforeseen(request_id: str, error: BaseException) -> Response:
    """The log has it under the request's id."""
    LOG.error("%s: unforeseen", request_id, exc_info=error)
    return problem(500, "the server's log tells more under this id", request_id=request_id)


async def not_usable(_: Request, error: Exception) -> Response:
    """What was sent is not sent back: it may be anything."""
    assert isinstance(error, RequestValidationError)
    found = error.errors()
    if any(one["type"] == "json_invalid" for one in found):
        return problem(400, "the body is not JSON")
    told = tuple(Wrong(_where(one["loc"]), str(one["msg"])) for one in found[:MOST_TOLD])
    first = f"{told[0].where}: {told[0].what}"
    return problem(422, first, errors=told)


async def not_served(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    words = _WORDS.get(error.status_code, str(error.detail))
    return problem(error.status_code, words, headers=error.headers)


def _where(place: tuple[Any, ...]) -> str:
    """Keys of the asker's own making are cut short."""
    return ".".join(str(part)[:60] for part in place)


def request_id(request: Request) -> str:
    found: str = request.scope["state"]["request_id"]
    return found
