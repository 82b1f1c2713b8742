"""The OpenAPI: shapes of problems, and how to say who one is, beside what the routes tell."""

from functools import cache
from typing import Any

from fastapi import FastAPI
from pydantic import TypeAdapter

from docgraph.doors.http.examples import put_examples
from docgraph.doors.http.problem import ProblemDetails

BEARER = "bearer"
_REFERENCES = "#/components/schemas/{model}"


def describe(app: FastAPI) -> None:
    """In place of FastAPI's own, once."""
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
