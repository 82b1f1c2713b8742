"""How an operation stands in the OpenAPI: its name, and every problem it can have."""

from typing import Any

from docgraph.doors.http.problem import MEDIA_TYPE, ProblemDetails, problem_data

_TOLD = {
    400: "the body is not JSON: Expecting value",
    401: "show a credential that is known here: Authorization: Bearer …",
    403: "this needs the right 'ingest', which ann does not have",
    404: "no visible node has the id 'notes:gone.md'",
    408: "the body did not come in time",
    409: "this snapshot was embedded by another model",
    413: "a request takes at most 1048576 bytes",
    415: "send JSON, and say so: Content-Type: application/json",
    421: "without a login this server answers to localhost, 127.0.0.1 and [::1] alone",
    422: "body.questions: Extra inputs are not permitted",
    500: "the server's log tells more under this id",
    502: "a model's server did not answer as it should",
    503: "more wait already than may wait; try again",
    504: "this took longer than 60 seconds",
}
ALWAYS = (401, 403, 408, 413, 421, 422, 500, 503, 504)
WITH_BODY = (400, 415)
BY_ANYBODY = (403, 413, 421, 500, 503)


def described(
    name: str, *problems: int, body: bool = True, status: int = 200, known: bool = True
) -> dict[str, Any]:
    """What a route is told beside its address; `problems` beside those that all have.

    `known`: whoever asks has to show who they are.
    """
    also = {*(ALWAYS if known else BY_ANYBODY), *(WITH_BODY if body else ()), *problems}
    told: dict[int | str, dict[str, Any]] = {code: described_problem(code) for code in sorted(also)}
    return {"operation_id": name, "responses": told, "status_code": status}


def described_problem(status: int) -> dict[str, Any]:
    told = problem_data(status, _TOLD[status], request_id="5f1d0c7be0a94c3d" * (status == 500))
    return {
        "description": str(told["title"]),
        "content": {
            MEDIA_TYPE: {
                "schema": {"$ref": f"#/components/schemas/{ProblemDetails.__name__}"},
                "example": told,
            }
        },
    }
