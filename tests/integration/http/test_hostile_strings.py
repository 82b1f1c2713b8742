"""SQL, control characters, paths and markup in every string, on both stores: never our fault."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.fuzz.mutations import HOSTILE
from tests.support.http_app import HttpApp, ingest_notes, open_app, settings_of

QUOTES = ("'", '"', "\\", "''; SELECT pg_sleep(9)--", "%s", "%(id)s", ":id", "?1", "$1", "\ud800")
STRINGS = (*HOSTILE, *QUOTES, "x" * 300_000)
JSON = {"Content-Type": "application/json", "Accept": "application/json"}
QUESTION: dict[str, Any] = {
    "question": "what waits?",
    "seeds": ["notes:queue.md"],
    "pipeline": "documents",
    "repository": "notes",
    "branch": "main",
}
BODIES: Mapping[str, dict[str, Any]] = {
    "/v1/search": {key: QUESTION[key] for key in QUESTION if key != "seeds"},
    "/v1/plans": QUESTION,
    "/v1/retrieve": QUESTION,
    "/v1/ask": QUESTION,
    "/v1/explain": {**QUESTION, "node": "notes:queue.md"},
    "/v1/relations": {
        "source": "notes:queue.md",
        "relation": "references",
        "target": "notes:worker.md",
        "note": "why",
        "branch": "main",
    },
    "/v1/ingestions": {"path": "notes", "repository": "notes", "branch": "main", "ref": "main"},
}
QUESTIONS = sum("question" in body for body in BODIES.values())
QUERIES = ("/v1/relations?node=", "/v1/relations?type=", "/v1/snapshots?repository=", "/v1/nodes/")


@pytest.fixture(scope="module")
def on_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpApp]:
    folder = tmp_path_factory.mktemp("hostile")
    with open_app(settings_of(folder, roots=(str(folder),), lease=1)) as api:
        ingest_notes(api.state)
        yield api


@pytest.fixture
def on_postgres(tmp_path: Path, database: str) -> Iterator[HttpApp]:
    settings = settings_of(tmp_path, roots=(str(tmp_path),), lease=1)
    with open_app(replace(settings, store=database)) as api:
        ingest_notes(api.state)
        yield api


@pytest.mark.parametrize(
    "step", ["search\ud800", {"search_nodes": {"mode": "\ud800"}}, {"search_nodes": {"\ud800": 1}}]
)
def test_a_lone_surrogate_in_a_pipeline_is_refused(on_sqlite: HttpApp, step: object) -> None:
    body = {"question": "what waits?", "pipeline": {"pipeline": "own", "steps": [step]}}
    answer = on_sqlite.client.post("/v1/search", content=json.dumps(body), headers=JSON)
    assert answer.status_code == 422
    assert "lone surrogate" in answer.json()["detail"]


def with_each(body: Mapping[str, Any], turn: int) -> Iterator[dict[str, Any]]:
    """The same body with strings in each place, and in the place of each key.

    What all questions have in common gets each string at one of their addresses.
    """
    for key, value in body.items():
        for odd in STRINGS[turn::QUESTIONS] if key in QUESTION and "question" in body else STRINGS:
            yield {**body, key: [odd] if isinstance(value, list) else odd}
    for odd in QUOTES:
        yield {**body, odd: "x"}


def refused_messages(api: HttpApp) -> list[str]:
    """What went wrong by our fault."""
    found: list[str] = []
    for turn, (address, body) in enumerate(BODIES.items()):
        for odd in with_each(body, turn % QUESTIONS):
            answer = api.client.post(address, content=json.dumps(odd), headers=JSON)
            if answer.status_code >= 500:
                found.append(f"{address} {str(odd)[:200]}: {answer.text[:200]}")
    for address in QUERIES:
        for text in STRINGS[:-1]:
            answer = api.client.get(address + quote(text, safe="", errors="surrogatepass"))
            if answer.status_code >= 500:
                found.append(f"{address} {text!r}: {answer.text[:200]}")
    return found


@pytest.mark.parametrize("address", BODIES)
def test_the_same_without_such_strings_is_fine(on_sqlite: HttpApp, address: str) -> None:
    answer = on_sqlite.client.post(address, json=BODIES[address], headers=JSON)
    data = {"/v1/relations": 201, "/v1/ingestions": 404}  # there is no such folder
    assert answer.status_code == data.get(address, 200), answer.text


def test_no_string_breaks_the_server_on_sqlite(on_sqlite: HttpApp) -> None:
    assert refused_messages(on_sqlite) == []


def test_no_string_breaks_the_server_on_postgres(on_postgres: HttpApp) -> None:
    assert refused_messages(on_postgres) == []
