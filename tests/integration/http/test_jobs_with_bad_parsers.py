"""A server answers questions while parsers of an ingest job misbehave."""

from dataclasses import replace
from pathlib import Path

import pytest

from docgraph.wiring.parsing import ParsingSettings
from docgraph.wiring.plugins import FORMATS
from tests.integration.test_parser_processes import CODE, REASONS
from tests.support.distributions import write_distribution
from tests.support.http_app import ingest_notes, open_app, settings_of


def test_questions_are_answered_while_parsers_of_a_job_misbehave(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages, notes = tmp_path / "packages", tmp_path / "roots" / "odd"
    packages.mkdir()
    notes.mkdir(parents=True)
    write_distribution(packages, "pl-odd", CODE, {FORMATS: {"odd": "ODD"}})
    monkeypatch.syspath_prepend(str(packages))
    for word in (*REASONS, "fine"):
        (notes / f"{word}.odd").write_text(word)
    settings = replace(
        settings_of(tmp_path, roots=(str(tmp_path / "roots"),)),
        plugins=("pl-odd",),
        parsing=ParsingSettings(workers=2, memory_mib=512, cpu_seconds=1),
    )
    with open_app(settings) as api:
        ingest_notes(api.state)
        job = api.post("/v1/ingestions", {"path": "odd", "repository": "odd"})
        answers, where = 0, job.headers["location"]
        while (found := api.client.get(where).json())["state"] in {"queued", "running"}:
            answer = api.post("/v1/search", {"question": "How long is the pause?"})
            assert answer.status_code == 200, answer.text
            answers += 1
        assert found["state"] == "succeeded", found
        assert answers > 0
        problems = found["result"]["ingest"]["problems"]
        assert {one["path"]: one["reason"] for one in problems} == {
            f"{word}.odd": reason for word, reason in REASONS.items()
        }
        assert found["result"]["ingest"]["added"] == 1
