"""A problem: every error that leaves this door, as RFC 9457 tells it."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from docgraph.interfaces.http.responses import as_json
from docgraph.interfaces.server.worker_pool import Overloaded
from docgraph.model.errors import (
    BadInput,
    BadPipeline,
    BadPlan,
    DocgraphError,
    GivenUp,
    ModelError,
    NotAllowed,
    NotKnown,
    NotVisible,
    StoreBusy,
    StoreError,
    TookTooLong,
    TooLong,
    WrongEmbedder,
)

MEDIA_TYPE = "application/problem+json"
BY_ITSELF = "about:blank"

# What each kind says of itself; the status says the rest.
TITLES = MappingProxyType(
    {
        400: "The request cannot be read",
        401: "Nobody is known by this credential",
        403: "Not allowed",
        404: "Nothing visible is there",
        405: "This method is not for this address",
        408: "The request came too slowly",
        409: "The store does not fit",
        413: "The request is too long",
        415: "The request is not JSON",
        421: "The request was meant for somebody else",
        422: "The request cannot be used",
        500: "Something went wrong here",
        502: "A model's server failed",
        503: "Not now",
        504: "This took too long",
    }
)


@dataclass(frozen=True, slots=True)
class FieldError:
    """One thing that is wrong with a request: where it stands there, and what is wrong."""

    where: str
    what: str


@dataclass(frozen=True, slots=True)
class ProblemDetails:
    """An error as RFC 9457 has it. The type is `about:blank`: the status is the kind.

    `errors` are there where several places of a request are wrong, `request_id` where the
    server's log tells more.
    """

    type: str
    title: str
    status: int
    detail: str
    errors: tuple[FieldError, ...] = ()
    request_id: str = ""


def problem(
    status: int,
    detail: str,
    *,
    errors: tuple[FieldError, ...] = (),
    request_id: str = "",
    headers: Mapping[str, str] | None = None,
) -> Response:
    """What is empty is left out."""
    body = problem_data(status, detail, errors=errors, request_id=request_id)
    return Response(
        as_json(body), status_code=status, media_type=MEDIA_TYPE, headers=dict(headers or {})
    )


def problem_data(
    status: int, detail: str, *, errors: tuple[FieldError, ...] = (), request_id: str = ""
) -> dict[str, Any]:
    title = TITLES.get(status, "Not to be had")
    told = {"type": BY_ITSELF, "title": title, "status": status, "detail": detail}
    more = {"errors": errors, "request_id": request_id}
    return told | {name: value for name, value in more.items() if value}


# Refusals: what the engine says no to, as a problem. What happens inside stays inside.


LATER = {"Retry-After": "1"}
NOT_KNOWN = "show a credential that is known here: Authorization: Bearer …"


@dataclass(frozen=True, slots=True)
class Refusal:
    """`words` stand in place of the error's own, where those would tell of the inside.

    Then the log tells them, if it is `logged`.
    """

    kind: type[DocgraphError]
    status: int
    words: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    logged: bool = False


# The first that fits counts.
REFUSALS = (
    Refusal(NotKnown, 401, NOT_KNOWN, {"WWW-Authenticate": "Bearer"}, logged=True),
    Refusal(NotAllowed, 403),
    Refusal(NotVisible, 404),
    Refusal(BadInput, 422),
    Refusal(BadPipeline, 422),
    Refusal(BadPlan, 422),
    Refusal(TooLong, 422),
    Refusal(WrongEmbedder, 409),
    Refusal(Overloaded, 503, "more wait already than may wait; try again", LATER),
    Refusal(StoreBusy, 503, "another writes to this store just now; try again", LATER),
    Refusal(StoreError, 503, "the store cannot be used as it is", LATER, logged=True),
    Refusal(ModelError, 502, "a model's server did not answer as it should", logged=True),
    Refusal(TookTooLong, 504),
    Refusal(GivenUp, 499),
)


def refusal_of(error: DocgraphError) -> Refusal | None:
    """None: not anybody's fault but ours."""
    return next((one for one in REFUSALS if isinstance(error, one.kind)), None)


# What becomes of an error on its way out: always a problem, never a trace of the inside.


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
    told = tuple(FieldError(_where(one["loc"]), str(one["msg"])) for one in found[:MOST_TOLD])
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
