"""A problem: every error that leaves this door, as RFC 9457 tells it."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from starlette.responses import Response

from docgraph.doors.http.as_json import as_json

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
class Wrong:
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
    errors: tuple[Wrong, ...] = ()
    request_id: str = ""


def problem(
    status: int,
    detail: str,
    *,
    errors: tuple[Wrong, ...] = (),
    request_id: str = "",
    headers: Mapping[str, str] | None = None,
) -> Response:
    """What is empty is left out."""
    body = problem_data(status, detail, errors=errors, request_id=request_id)
    return Response(
        as_json(body), status_code=status, media_type=MEDIA_TYPE, headers=dict(headers or {})
    )


def problem_data(
    status: int, detail: str, *, errors: tuple[Wrong, ...] = (), request_id: str = ""
) -> dict[str, Any]:
    title = TITLES.get(status, "Not to be had")
    told = {"type": BY_ITSELF, "title": title, "status": status, "detail": detail}
    more = {"errors": errors, "request_id": request_id}
    return told | {name: value for name, value in more.items() if value}
