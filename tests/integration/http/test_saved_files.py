"""What one interface returns, another takes unchanged: plans and receipts."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from docgraph.interfaces.cli import options
from docgraph.interfaces.cli.app import app
from docgraph.testing.small_store import HashedWords
from docgraph.wiring import build
from tests.support.http_app import HttpApp, ingest_notes, open_app, settings_of

QUESTION = "How long is the pause of the queue?"
ASKED = {"question": QUESTION}
JSON = {"Content-Type": "application/json"}


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The command line on the same store, with the same embedder."""

    def engine(store: str | None, **_: Any) -> Any:
        return build.build_engine(settings_of(tmp_path), HashedWords)

    monkeypatch.setattr(options, "engine_for", engine)

    def run(*words: str) -> bytes:
        store = str(tmp_path / "store.db")
        done = CliRunner().invoke(app, [*words, "--store", store], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.stdout_bytes

    return run


@pytest.fixture
def api(tmp_path: Path) -> Any:
    with open_app(settings_of(tmp_path)) as api:
        ingest_notes(api.state)
        yield api


def test_the_plan_over_http_is_that_of_the_command_line_byte_for_byte(
    api: HttpApp, cli: Any
) -> None:
    assert api.post("/v1/plans", ASKED).content == cli("plan", QUESTION, "--json")


def test_a_plan_of_each_interface_is_executed_by_the_other_unchanged(
    api: HttpApp, cli: Any, tmp_path: Path
) -> None:
    by_http, by_cli = tmp_path / "http.json", tmp_path / "cli.json"
    by_http.write_bytes(api.post("/v1/plans", ASKED).content)
    cli("plan", QUESTION, "--save", str(by_cli))
    executed = [
        api.client.post("/v1/plans/execute", content=file.read_bytes(), headers=JSON).json()
        for file in (by_http, by_cli)
    ]
    assert executed[0] == executed[1]
    assert executed[0]["digest"] == api.post("/v1/retrieve", ASKED).json()["digest"]
    printed = json.loads(cli("run", str(by_http), "--json"))
    assert printed["digest"] == executed[0]["digest"]


def test_a_plan_with_its_receipt_is_executed_unchanged(api: HttpApp) -> None:
    both = api.post("/v1/plans", {**ASKED, "receipt": True})
    done = api.client.post("/v1/plans/execute", content=both.content, headers=JSON)
    assert done.json()["digest"] == api.post("/v1/retrieve", ASKED).json()["digest"]


def test_a_receipt_of_the_command_line_is_replayed_over_http_unchanged(
    api: HttpApp, cli: Any, tmp_path: Path
) -> None:
    file = tmp_path / "receipt.json"
    cli("context", QUESTION, "--receipt", str(file))
    done = api.client.post("/v1/receipts/replay", content=file.read_bytes(), headers=JSON)
    assert done.json()["same"] is True, done.text


def test_a_receipt_over_http_is_replayed_by_the_command_line(
    api: HttpApp, cli: Any, tmp_path: Path
) -> None:
    file = tmp_path / "receipt.json"
    receipt = api.post("/v1/retrieve", {**ASKED, "receipt": True}).json()["receipt"]
    file.write_text(json.dumps(receipt), encoding="utf-8")
    cli("replay", str(file))


@pytest.mark.parametrize("path", ["/v1/plans/execute", "/v1/receipts/replay"])
@pytest.mark.parametrize("body", [[], "x", 7, None, {}, {"format": "docgraph.plan/1"}])
def test_what_is_no_file_of_docgraphs_is_refused(api: HttpApp, path: str, body: object) -> None:
    assert api.post(path, body).status_code == 422
