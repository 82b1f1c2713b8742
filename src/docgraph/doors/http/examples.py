"""Examples of requests and of what came of them, by the names of operations."""

import json
from functools import cache
from importlib import resources
from typing import Any

JSON = "application/json"


@cache
def example_of(name: str) -> dict[str, Any]:
    """`request`, where it has a body, and `response`; tests ask them again. Empty if there are
    none."""
    file = resources.files("docgraph.doors.http") / "example_files" / f"{name}.json"
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return found


def put_examples(operation: dict[str, Any]) -> None:
    """Here and not at the route: FastAPI drops what is null in an example."""
    example = example_of(operation["operationId"])
    if "request" in example:
        operation["requestBody"]["content"][JSON]["example"] = example["request"]
    for status, answer in operation["responses"].items():
        if status.startswith("2") and example:
            answer["content"][JSON]["example"] = example["response"]
