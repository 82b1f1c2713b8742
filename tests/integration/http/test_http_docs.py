"""docs/http.md tells every address and every problem, and its session goes as it says."""

import re
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from docgraph.interfaces.http.problems import TITLES
from docgraph.interfaces.http.server.middleware import Metrics
from tests.architecture.test_docs import CODE, page, rows, sections
from tests.support.http_app import NOTES, HttpApp
from tests.support.http_server import embeddings, serve_in, settings_file
from tests.support.scripted_server import serve_script

TEXT = page("http.md")
PARTS = sections(TEXT, 2)
THERE = "http://127.0.0.1:8000"


def test_every_address_is_documented(api: HttpApp) -> None:
    data = [name for cells in rows(PARTS["Addresses"]) for name in CODE.findall(cells[0])]
    there: Any = api.client.get("/openapi.json").json()["paths"]
    assert data == [f"{method.upper()} {path}" for path, found in there.items() for method in found]


def test_every_problem_is_documented_with_its_title() -> None:
    data = {int(cells[0]): cells[1] for cells in rows(PARTS["Problems"])}
    assert data == dict(TITLES)


def test_every_metric_is_documented() -> None:
    data = set(re.findall(r"`(docgraph_\w+)`", PARTS["Operation"]))
    written = re.findall(r"^# TYPE (\w+) ", Metrics().render().decode(), re.MULTILINE)
    assert data == {name for name in written if not name.endswith("_created")}


def test_the_session_goes_as_it_says(tmp_path: Path) -> None:
    if shutil.which("curl") is None:
        pytest.skip("there is no curl")
    (block,) = re.findall(r"^```console\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    steps = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
    assert len(steps) == 6
    (tmp_path / "roots" / "notes").mkdir(parents=True)
    for path in ("queue.md", "worker.md"):
        (tmp_path / "roots" / "notes" / path).write_text(NOTES[path], encoding="utf-8")
    with serve_script(embeddings) as models:
        settings_file(tmp_path, models.base)
        with serve_in(tmp_path, "--root", "roots") as served:
            served.ready()
            for command, shown in steps:
                found = said(command.replace(THERE, served.url))
                assert fits(found, shown), (command, found)
                while '"state":"succeeded"' not in said(f"curl -s {served.url}/v1/ingestions"):
                    time.sleep(0.02)


def said(command: str) -> str:
    run = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    return run.stdout


def fits(found: str, shown: str) -> bool:
    """`…` stands for what is left out."""
    parts = [re.escape(part) for part in shown.strip().split("…")]
    return re.match(".*".join(parts), found.strip(), re.DOTALL) is not None
