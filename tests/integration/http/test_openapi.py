"""The OpenAPI is complete: every address, with an example of every request and every answer."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from tests.support.http_app import HttpApp
from tests.support.http_examples import EXAMPLES, run_examples

METHODS = ("get", "post", "delete")


@pytest.fixture(scope="module")
def document(api: HttpApp) -> dict[str, Any]:
    return dict(api.client.get("/openapi.json").json())


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, found in document["paths"].items():
        for method, operation in found.items():
            yield path, method, operation


def contents(operation: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Of the request and of every answer: what it is of, its media type, and how it looks."""
    if "requestBody" in operation:
        for kind, found in operation["requestBody"]["content"].items():
            yield "request", kind, found
    for status, answer in operation["responses"].items():
        for kind, found in answer["content"].items():
            yield status, kind, found


def test_every_address_is_there(document: dict[str, Any]) -> None:
    assert {(path, method) for path, method, _ in operations(document)} == {
        ("/v1/search", "post"),
        ("/v1/plans", "post"),
        ("/v1/plans/execute", "post"),
        ("/v1/retrieve", "post"),
        ("/v1/ask", "post"),
        ("/v1/nodes/{id}", "get"),
        ("/v1/relations", "get"),
        ("/v1/relations", "post"),
        ("/v1/relations", "delete"),
        ("/v1/snapshots", "get"),
        ("/v1/status", "get"),
        ("/v1/explain", "post"),
        ("/v1/receipts/replay", "post"),
        ("/v1/ingestions", "post"),
        ("/v1/ingestions", "get"),
        ("/v1/ingestions/{id}", "get"),
        ("/healthz", "get"),
        ("/readyz", "get"),
        ("/metrics", "get"),
    }


def test_names_of_operations_are_tidy(document: dict[str, Any]) -> None:
    names = [operation["operationId"] for _, _, operation in operations(document)]
    assert len(set(names)) == len(names)
    assert all(name.replace("_", "").isalpha() and name.islower() for name in names)
    assert all(operation["description"] for _, _, operation in operations(document))


def test_everything_has_a_shape_and_an_example_that_fits_it(document: dict[str, Any]) -> None:
    count = 0
    for path, method, operation in operations(document):
        for of, kind, found in contents(operation):
            where = f"{method} {path} {of} {kind}"
            assert "example" in found, where
            assert found.get("schema"), where
            schema = {**found["schema"], "components": document["components"]}
            problems = [
                e.message for e in jsonschema_rs.validator_for(schema).iter_errors(found["example"])
            ]
            assert problems == [], where
            count += 1
    assert count > 150


def test_every_error_is_a_problem(document: dict[str, Any]) -> None:
    for path, _, operation in operations(document):
        assert {"422", "500", "503"} <= set(operation["responses"]) or not path.startswith("/v1/")
        for of, kind, found in contents(operation):
            if of != "request" and int(of) >= 400:
                assert kind == "application/problem+json"
                assert found["schema"] == {"$ref": "#/components/schemas/ProblemDetails"}
                assert found["example"]["status"] == int(of)
    assert "HTTPValidationError" not in document["components"]["schemas"]


def test_who_asks_shows_a_bearer(document: dict[str, Any]) -> None:
    assert document["components"]["securitySchemes"]["bearer"]["scheme"] == "bearer"
    for path, _, operation in operations(document):
        shown: list[object] = [{"bearer": []}, {}] if path.startswith("/v1/") else []
        assert operation["security"] == shown


def test_examples_are_what_a_server_answers(tmp_path: Path) -> None:
    """In shape: digests and scores may be others. `python -m tests.support.http_examples` writes
    them anew."""
    names = set()
    for name, request, response in run_examples(tmp_path):
        names.add(name)
        document = json.loads((EXAMPLES / f"{name}.json").read_text(encoding="utf-8"))
        assert document.get("request") == request or name in {"execute_plan", "replay_receipt"}
        assert shape(document["response"]) == shape(response), name
    assert names == {path.stem for path in EXAMPLES.iterdir()}


def shape(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: shape(found) for key, found in value.items()}
    if isinstance(value, list):
        return [shape(one) for one in value[:1]]
    return type(value).__name__
