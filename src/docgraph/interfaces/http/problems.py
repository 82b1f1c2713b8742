"""Problem details (RFC 9457): the form of every error response."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from docgraph.interfaces.http.responses import as_json
from docgraph.interfaces.server.fair_queue import Overloaded
from docgraph.model.errors import (
    BadInput,
    BadPipeline,
    BadPlan,
    Cancelled,
    ContextWindowExceeded,
    DamagedStore,
    DeadlineExceeded,
    DocgraphError,
    ModelError,
    NotAuthenticated,
    NotAuthorized,
    NotEmbedded,
    NotVisible,
    ParserError,
    SourceChanged,
    StoreBusy,
    StoreError,
    WrongEmbedder,
)

MEDIA_TYPE = "application/problem+json"
NO_TYPE = "about:blank"

# The title of each status.
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
    server's log tells more. `change` is there where a change failed: `none` was made and none will
    be, or it is `unknown`: the change may have been made, or may still be.
    """

    type: str
    title: str
    status: int
    detail: str
    errors: tuple[FieldError, ...] = ()
    request_id: str = ""
    change: Literal["none", "unknown"] | None = None


def problem(
    status: int,
    detail: str,
    *,
    errors: tuple[FieldError, ...] = (),
    request_id: str = "",
    change: str = "",
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Empty fields are left out."""
    body = problem_data(status, detail, errors=errors, request_id=request_id, change=change)
    return Response(
        as_json(body), status_code=status, media_type=MEDIA_TYPE, headers=dict(headers or {})
    )


def problem_data(
    status: int,
    detail: str,
    *,
    errors: tuple[FieldError, ...] = (),
    request_id: str = "",
    change: str = "",
) -> dict[str, Any]:
    title = TITLES.get(status, "Not to be had")
    fields = {"type": NO_TYPE, "title": title, "status": status, "detail": detail}
    more = {"errors": errors, "request_id": request_id, "change": change}
    return fields | {name: value for name, value in more.items() if value}


# Refusals: errors of the engine as problems, without internals.


LATER = {"Retry-After": "1"}
OUTCOMES = {
    "": "",
    "none": "; nothing was changed, and nothing will be",
    "unknown": "; the change may have been made or may still be: look before you try again",
}
NOT_AUTHENTICATED = "show a credential that is known here: Authorization: Bearer …"


class ChangeFailed(Exception):
    """A change was requested and failed: nothing was written, or it `may_follow`."""

    def __init__(self, error: DocgraphError, *, may_follow: bool) -> None:
        super().__init__(str(error))
        self.error = error
        self.may_follow = may_follow


@dataclass(frozen=True, slots=True)
class Refusal:
    """`message` replaces the error's own where that would show internals; `logged` logs it."""

    kind: type[DocgraphError]
    status: int
    message: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    logged: bool = False


# The first match counts.
REFUSALS = (
    Refusal(NotAuthenticated, 401, NOT_AUTHENTICATED, {"WWW-Authenticate": "Bearer"}, logged=True),
    Refusal(NotAuthorized, 403),
    Refusal(NotVisible, 404),
    Refusal(BadInput, 422),
    Refusal(BadPipeline, 422),
    Refusal(BadPlan, 422),
    Refusal(ContextWindowExceeded, 422),
    Refusal(WrongEmbedder, 409),
    Refusal(NotEmbedded, 409),
    Refusal(SourceChanged, 503, "", LATER),
    Refusal(Overloaded, 503, "more wait already than may wait; try again", LATER),
    Refusal(StoreBusy, 503, "another writes to this store just now; try again", LATER),
    Refusal(DamagedStore, 500, "the store is damaged; its operator has to restore it", logged=True),
    Refusal(StoreError, 503, "the store cannot be used as it is", LATER, logged=True),
    Refusal(ParserError, 503, "no process for parsing can be started", LATER, logged=True),
    Refusal(ModelError, 502, "a model's server did not answer as it should", logged=True),
    Refusal(DeadlineExceeded, 504),
    Refusal(Cancelled, 499),
)


def refusal_of(error: DocgraphError) -> Refusal | None:
    """None for an error of the server itself."""
    return next((one for one in REFUSALS if isinstance(error, one.kind)), None)


# Error handlers: every error becomes a problem, without internals.


LOG = logging.getLogger("docgraph.http")
MAX_ERRORS = 10
_MESSAGES = {
    404: "there is no such address; /openapi.json lists those that are there",
    405: "the header Allow says which methods are",
}


def handle_errors(app: FastAPI) -> None:
    app.add_exception_handler(DocgraphError, handle_refusal)
    app.add_exception_handler(ChangeFailed, handle_failed_change)
    app.add_exception_handler(RequestValidationError, handle_validation_error)
    app.add_exception_handler(HTTPException, handle_http_error)


async def handle_refusal(request: Request, error: Exception) -> Response:
    assert isinstance(error, DocgraphError)
    return refusal_response(request_id(request), error)


async def handle_failed_change(request: Request, error: Exception) -> Response:
    assert isinstance(error, ChangeFailed)
    change = "unknown" if error.may_follow else "none"
    return refusal_response(request_id(request), error.error, change)


def refusal_response(request_id: str, error: DocgraphError, change: str = "") -> Response:
    refusal = refusal_of(error)
    if refusal is None:
        return unexpected(request_id, error)
    if refusal.logged:
        LOG.warning("%s: %s: %s", request_id, type(error).__name__, error)
    message = (refusal.message or str(error)) + OUTCOMES[change]
    named = request_id if refusal.status == 500 else ""  # the log tells more
    return problem(
        refusal.status, message, request_id=named, change=change, headers=refusal.headers
    )


def unexpected(request_id: str, error: BaseException) -> Response:
    """Logged with the request's id."""
    LOG.error("%s: unexpected", request_id, exc_info=error)
    return problem(500, "the server's log tells more under this id", request_id=request_id)


async def handle_validation_error(_: Request, error: Exception) -> Response:
    """The input is not repeated: it may be anything."""
    assert isinstance(error, RequestValidationError)
    found = error.errors()
    if any(one["type"] == "json_invalid" for one in found):
        return problem(400, "the body is not JSON")
    errors = tuple(FieldError(_where(one["loc"]), str(one["msg"])) for one in found[:MAX_ERRORS])
    first = f"{errors[0].where}: {errors[0].what}"
    return problem(422, first, errors=errors)


async def handle_http_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    message = _MESSAGES.get(error.status_code, str(error.detail))
    return problem(error.status_code, message, headers=error.headers)


def _where(location: tuple[Any, ...]) -> str:
    """Keys that the client chose are cut short."""
    return ".".join(str(part)[:60] for part in location)


def request_id(request: Request) -> str:
    found: str = request.scope["state"]["request_id"]
    return found
