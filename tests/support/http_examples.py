"""The examples of the OpenAPI document, recorded from a real server with the real embedder.

`python -m tests.support.http_examples` writes them anew.
"""

import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from docgraph.interfaces.http import openapi
from docgraph.interfaces.http.server.app import make_app
from docgraph.interfaces.http.server.app_state import build_app_state
from tests.support.http_app import HERE, NOTES, settings_of

EXAMPLES = Path(openapi.__file__).parent / "example_files"
Example = tuple[str, Any, Any]  # operation, request, response
SEEDS = {"seeds": ["notes:queue.md"]}
EDGE = {"source": "notes:worker.md", "relation": "explains", "target": "notes:queue.md"}
VARIABLE_FIELDS = {
    "id": "0f6c1f4e8a0b4c0d9d1f3a5b7c9e1d2f",
    "created": "2026-01-31T12:00:00+00:00",
    "updated": "2026-01-31T12:00:02+00:00",
    "milliseconds": 1.234,
}


def run_examples(folder: Path) -> Iterator[Example]:
    """By operation, with no vectors in them: ids take the place of a question where they would."""
    notes = folder / "roots" / "notes"
    notes.mkdir(parents=True)
    for path in ("queue.md", "worker.md"):
        (notes / path).write_text(NOTES[path], encoding="utf-8")
    state = build_app_state(settings_of(folder, roots=(str(folder / "roots"),)))
    with TestClient(make_app(state), base_url=HERE) as client:
        for name, request, response in _asked(client):
            yield name, request, _calm(response)


def _asked(client: TestClient) -> Iterator[Example]:
    def post(name: str, path: str, body: Any) -> Example:
        answer = client.post(path, json=body)
        assert answer.is_success, answer.text
        return name, body, answer.json()

    def get(name: str, path: str) -> Example:
        return name, None, client.get(path).json()

    yield get("healthz", "/healthz")
    while client.get("/readyz").status_code != 200:
        time.sleep(0.05)
    yield get("readyz", "/readyz")
    added = post("add_ingestion", "/v1/ingestions", {"path": "notes", "readers": ["everyone"]})
    yield added
    where = f"/v1/ingestions/{added[2]['id']}"
    while client.get(where).json()["state"] not in {"succeeded", "failed"}:
        time.sleep(0.05)
    yield get("get_ingestion", where)
    yield get("list_ingestions", "/v1/ingestions")
    question = {"question": "How long is the pause?"}
    yield post("search", "/v1/search", {**question, "top": 3})
    planned = post("plan", "/v1/plans", SEEDS)
    yield planned
    yield post("execute_plan", "/v1/plans/execute", planned[2])
    yield post("retrieve", "/v1/retrieve", {**question, "max_tokens": 500})
    yield post("explain", "/v1/explain", question)
    receipt = client.post("/v1/plans", json={**SEEDS, "receipt": True}).json()["receipt"]
    yield post("replay_receipt", "/v1/receipts/replay", {"receipt": receipt})
    answer = client.post("/v1/ask", json=question, headers={"Accept": "application/json"})
    yield "ask", question, answer.json()
    yield get("get_node", "/v1/nodes/notes:queue.md")
    yield get("list_snapshots", "/v1/snapshots")
    yield get("get_status", "/v1/status")
    yield post("add_relation", "/v1/relations", {**EDGE, "note": "the queue's reader"})
    yield get("list_relations", "/v1/relations")
    yield "remove_relation", None, client.delete("/v1/relations", params=EDGE).json()


def _calm(value: Any) -> Any:
    """Without what is another each time."""
    if isinstance(value, list):
        return [_calm(one) for one in value]
    if not isinstance(value, dict):
        return value
    is_ingestion = "attempts" in value
    return {
        key: VARIABLE_FIELDS[key]
        if key in {"created", "updated", "milliseconds"} or (key == "id" and is_ingestion)
        else _calm(found)
        for key, found in value.items()
    }


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, request, response in run_examples(Path(folder)):
            example = {"response": response} | ({} if request is None else {"request": request})
            text = json.dumps(example, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
            (EXAMPLES / f"{name}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
