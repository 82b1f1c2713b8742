"""The OpenAPI document: problems, authentication and examples beside the routes."""

import json
from functools import cache
from importlib import resources
from typing import Any

from fastapi import FastAPI
from pydantic import TypeAdapter

from docgraph.interfaces.http.problems import MEDIA_TYPE, ProblemDetails, problem_data

# An operation: its id, and every problem it can have.


_DETAILS = {
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


def operation_docs(
    name: str, *problems: int, body: bool = True, status: int = 200, known: bool = True
) -> dict[str, Any]:
    """`problems` beside those that all operations have. `known`: authentication is required."""
    also = {*(ALWAYS if known else BY_ANYBODY), *(WITH_BODY if body else ()), *problems}
    responses: dict[int | str, dict[str, Any]] = {code: problem_docs(code) for code in sorted(also)}
    return {"operation_id": name, "responses": responses, "status_code": status}


def problem_docs(status: int) -> dict[str, Any]:
    example = problem_data(
        status, _DETAILS[status], request_id="5f1d0c7be0a94c3d" * (status == 500)
    )
    return {
        "description": str(example["title"]),
        "content": {
            MEDIA_TYPE: {
                "schema": {"$ref": f"#/components/schemas/{ProblemDetails.__name__}"},
                "example": example,
            }
        },
    }


# Examples of requests and responses, by operation.


JSON = "application/json"


@cache
def example_of(name: str) -> dict[str, Any]:
    """`request`, where it has a body, and `response`, which tests compare; else empty."""
    file = resources.files("docgraph.interfaces.http") / "example_files" / f"{name}.json"
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return found


def put_examples(operation: dict[str, Any]) -> None:
    """Here and not at the route: FastAPI drops nulls of an example."""
    example = example_of(operation["operationId"])
    if "request" in example:
        operation["requestBody"]["content"][JSON]["example"] = example["request"]
    for status, answer in operation["responses"].items():
        if status.startswith("2") and example:
            answer["content"][JSON]["example"] = example["response"]


BEARER = "bearer"
_REFERENCES = "#/components/schemas/{model}"


def describe(app: FastAPI) -> None:
    """Replaces FastAPI's own document, once."""
    own = app.openapi

    @cache
    def whole() -> dict[str, Any]:
        found = own()
        parts = found.setdefault("components", {})
        parts.setdefault("schemas", {}).update(_problem_schemas())
        parts["securitySchemes"] = {
            BEARER: {
                "type": "http",
                "scheme": "bearer",
                "description": "An API key of `docgraph keys add`, or a token (JWT) of an issuer "
                "that the server trusts. Without a configured login none is needed, and the "
                "server answers to this machine alone.",
            }
        }
        for path, operations in found["paths"].items():
            for operation in operations.values():
                put_examples(operation)
                operation["security"] = [{BEARER: []}, {}] if path.startswith("/v1/") else []
        return found

    app.openapi = whole  # type: ignore[method-assign]


def _problem_schemas() -> dict[str, Any]:
    schema = TypeAdapter(ProblemDetails).json_schema(ref_template=_REFERENCES)
    inner = schema.pop("$defs", {})
    return {**inner, ProblemDetails.__name__: schema}
