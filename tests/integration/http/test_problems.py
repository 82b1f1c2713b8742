"""Every error is a problem as RFC 9457 has it, and tells nothing of the inside."""

import json
import logging
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from docgraph.interfaces.http.problems import REFUSALS
from docgraph.interfaces.http.server.app import make_app
from docgraph.interfaces.http.server.app_state import build_app_state
from docgraph.interfaces.server.fair_queue import Overloaded
from docgraph.model import errors
from docgraph.model.errors import DocgraphError
from docgraph.testing.small_store import HashedWords
from tests.support.http_app import HERE, HttpApp, ingest_notes, open_app, settings_of

ASKED = {"question": "the queue"}
INSIDE = "/srv/inside: a secret of the inside"


def problem(answer: Any, status: int) -> dict[str, Any]:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    details = answer.json()
    assert details["status"] == status
    assert details["type"] == "about:blank"
    assert details["title"]
    assert details["detail"]
    return dict(details)


def raw(api: HttpApp, body: bytes, kind: str = "application/json") -> Any:
    return api.client.post("/v1/search", content=body, headers={"content-type": kind})


def test_an_address_that_is_not_there(api: HttpApp) -> None:
    details = problem(api.client.get("/v1/nowhere"), 404)
    assert "/openapi.json" in details["detail"]
    problem(api.client.post("/v1/search/", json=ASKED), 404)


def test_a_method_that_is_not_for_it(api: HttpApp) -> None:
    answer = api.client.put("/v1/search", json=ASKED)
    problem(answer, 405)
    assert answer.headers["allow"] == "POST"


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"",
        b"\xff\xfe",
        b'{"question": NaN}',
        b'{"question": "a", "question": "b"}',
        b'{"question": "a", "top": 1' + b"0" * 5_000 + b"}",
        b'{"question": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"question": ' + b'{"a":' * 40 + b"1" + b"}" * 41,
        b'["' + b'\\"' * 200_000,
    ],
)
def test_a_body_that_is_no_json_we_read(api: HttpApp, body: bytes) -> None:
    details = problem(raw(api, body), 400 if body else 422)
    assert len(details["detail"]) < 200


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_a_body_of_another_kind(api: HttpApp, kind: str) -> None:
    problem(raw(api, json.dumps(ASKED).encode(), kind), 415)


@pytest.mark.parametrize(
    ("wrong", "where"),
    [
        ({"tenant": "other"}, "body.tenant"),
        ({"principal": "root"}, "body.principal"),
        ({"as_": "root"}, "body.as_"),
        ({"top": "8"}, "body.top"),
        ({"top": True}, "body.top"),
        ({"top": 0}, "body.top"),
        ({"top": 2**60}, "body.top"),
        ({"snapshot": -1}, "body.snapshot"),
        ({"question": ""}, "body.question"),
        ({"question": "a" * 20_001}, "body.question"),
        ({"question": "nul \x00"}, "body.question"),
        ({"question": "bell \x07"}, "body.question"),
        ({"question": "half \ud83d"}, "body.question"),
        ({"repository": "a\nb"}, "body.repository"),
        ({"branch": "b" * 201}, "body.branch"),
        ({"pipeline": 8}, "body.pipeline"),
        ({"pipeline": {"yaml": "x" * 70_000}}, "body.pipeline"),
    ],
)
def test_what_cannot_be_used_is_reported_with_its_place(
    api: HttpApp, wrong: dict[str, Any], where: str
) -> None:
    """What was sent is not sent back."""
    body = json.dumps({**ASKED, **wrong}).encode()
    details = problem(raw(api, body), 422)
    assert details["errors"][0]["where"].startswith(where)
    assert "bell" not in details["detail"]


@pytest.mark.parametrize(
    "pipeline",
    [
        "../../../etc/passwd",
        "/etc/passwd",
        "docs/../documents.yaml",
        "nobody",
        "documents.yaml",
        "a\x00b",
        {"pipeline": "mine", "extends": "/etc/passwd"},
        {"pipeline": "mine", "extends": "../documents.yaml"},
        {"yaml": "pipeline: mine\nextends: documents.yaml\n"},
        {"yaml": "pipeline: &a [*a]\n"},
        {"yaml": "a: " + "[" * 100 + "]" * 100},
        {"yaml": "pipeline: !!python/object/apply:os.system [true]\n"},
        {"yaml": "pipeline: x\nsteps: [search_nodes]\nsteps: [search_nodes]\n"},
        {"yaml": ""},
        {"pipeline": "mine", "steps": [{"search_nodes": {"mode": "sql"}}]},
        {"pipeline": "mine", "steps": [{"drop_tables": {}}]},
        {"pipeline": "mine", "steps": ["search_nodes"] * 17},
        {"pipeline": "mine", "steps": [{"search_nodes": {"top": 101}}]},
    ],
)
def test_a_pipeline_opens_no_file_and_keeps_the_contract(api: HttpApp, pipeline: object) -> None:
    details = problem(api.post("/v1/search", {**ASKED, "pipeline": pipeline}), 422)
    assert "root:" not in details["detail"]


@pytest.mark.parametrize(
    "plan",
    [
        {},
        {"format": "docgraph.plan/1"},
        {"format": "docgraph.plan/9", "plan": {}, "digest": "", "snapshots": [], "pipeline": ""},
    ],
)
def test_what_is_no_plan_and_no_receipt(api: HttpApp, plan: object) -> None:
    problem(api.post("/v1/plans/execute", {"plan": plan}), 422)
    problem(api.post("/v1/receipts/replay", {"receipt": plan}), 422)
    problem(api.post("/v1/plans/execute", {"plan": [plan]}), 422)


def test_numbers_that_no_store_holds(api: HttpApp) -> None:
    saved = api.post("/v1/plans", ASKED).json()
    for number in (0, -1, 2**31, 2**63, 2**64, 10**300):
        saved["snapshots"][0]["snapshot"] = number
        answer = api.post("/v1/plans/execute", {"plan": saved})
        assert answer.status_code in {200, 404, 422}, answer.text


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (errors.NotAuthorized(INSIDE), 403),
        (errors.NotVisible(INSIDE), 404),
        (errors.BadInput(INSIDE), 422),
        (errors.BadPlan(INSIDE), 422),
        (errors.ContextWindowExceeded(INSIDE), 422),
        (errors.WrongEmbedder(INSIDE), 409),
        (errors.ModelError(INSIDE), 502),
        (errors.ParserError(INSIDE), 503),
        (errors.StoreBusy(INSIDE), 503),
        (errors.StoreFull(INSIDE), 503),
        (errors.StoreError(INSIDE), 503),
        (Overloaded(INSIDE), 503),
        (errors.DeadlineExceeded(INSIDE), 504),
        (errors.ContractViolation(INSIDE), 500),
        (ValueError(INSIDE), 500),
        (MemoryError(INSIDE), 500),
        (RecursionError(INSIDE), 500),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else str(value),
)
def test_what_the_engine_says_no_to(
    api: HttpApp,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
    status: int,
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(type(api.state.engine.questions), "search", fail)
    with caplog.at_level(logging.WARNING):
        answer = api.post("/v1/search", ASKED)
    details = problem(answer, status)
    assert ("retry-after" in answer.headers) == (status == 503)
    if status >= 500 and status != 504:
        assert "inside" not in answer.text
        if not isinstance(error, errors.StoreBusy | Overloaded):
            assert "a secret of the inside" in caplog.text
    if status == 500:
        assert details["request_id"] == answer.headers["x-request-id"]
        assert details["request_id"] in caplog.text


def test_every_error_of_docgraph_has_its_status() -> None:
    """Those that are nobody's fault but ours are a 500."""
    contracts = {errors.ContractViolation, errors.PreconditionViolation}
    ours = {errors.DocgraphError, *contracts, errors.NotPlanned, errors.MissingExtra}
    kinds = {
        kind
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, DocgraphError)
    }
    known = {kind for kind in kinds if any(issubclass(kind, one.kind) for one in REFUSALS)}
    assert kinds - known == ours


def test_a_store_that_is_gone_is_not_ready(tmp_path: Path) -> None:
    with open_app(settings_of(tmp_path)) as api:
        ingest_notes(api.state)
        assert api.client.get("/readyz").json() == {"status": "ready"}
        for file in tmp_path.glob("store.db*"):
            file.unlink()
        (tmp_path / "store.db").write_bytes(b"no store, but long enough to look like one" * 99)
        details = problem(api.client.get("/readyz"), 503)
        assert str(tmp_path) not in details["detail"]
        assert api.client.get("/healthz").json() == {"status": "alive"}


def test_a_server_that_drains_is_not_ready(tmp_path: Path) -> None:
    with open_app(settings_of(tmp_path)) as api:
        api.state.drain()
        problem(api.client.get("/readyz"), 503)
        assert api.client.get("/healthz").status_code == 200
        assert api.client.get("/v1/snapshots").status_code == 200


def test_a_server_whose_model_comes_later_is_ready_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("docgraph.interfaces.http.server.app_state.PAUSE", 0.02)
    there = threading.Event()

    def embedder() -> HashedWords:
        if not there.is_set():
            raise errors.ModelError("http://inside:1 is down")
        return HashedWords()

    built = build_app_state(settings_of(tmp_path), embedder)
    with TestClient(make_app(built), base_url=HERE) as client:
        details = problem(client.get("/readyz"), 503)
        assert "inside" not in details["detail"]
        there.set()
        until = time.monotonic() + 60
        while client.get("/readyz").status_code != 200:
            assert time.monotonic() < until
            time.sleep(0.02)
