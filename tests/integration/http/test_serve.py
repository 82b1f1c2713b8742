"""`docgraph serve`: says where it listens, answers, ends in good order, and loses no ingestion."""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from docgraph.interfaces.cli.app import app
from docgraph.model.errors import MissingExtra
from tests.integration.test_asking import streamed
from tests.support.http_app import NOTES
from tests.support.http_server import COMMAND, ServerProcess, embeddings, serve_in, settings_file
from tests.support.scripted_server import Answer, Body, Server, serve_script

ASKED = {"question": "How long is the pause of the queue?"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    notes = tmp_path / "roots" / "notes"
    notes.mkdir(parents=True)
    for path in ("queue.md", "worker.md"):
        (notes / path).write_text(NOTES[path], encoding="utf-8")
    return tmp_path


class Models:
    """Embeds, and answers; `held` holds up clients while it is cleared."""

    def __init__(self) -> None:
        self.held = threading.Event()
        self.held.set()
        self.waits = threading.Semaphore(0)

    def __call__(self, body: Body) -> Answer:
        if not self.held.is_set():
            self.waits.release()
            self.held.wait(30)
        return embeddings(body) if "input" in body else streamed("It is 30 seconds [1].")


@pytest.fixture
def models() -> Models:
    return Models()


@pytest.fixture
def server(models: Models, folder: Path) -> Iterator[Server]:
    with serve_script(models) as server:
        chat = f"answer:\n  - {{endpoint: '{server.base}', model: tiny, context_window: 4000}}\n"
        settings_file(
            folder, server.base, f"{chat}serve: {{lease: 1, drain: 10, roots: [roots]}}\n"
        )
        yield server
        models.held.set()


def ended(served: ServerProcess, where: str) -> dict[str, Any]:
    for _ in range(1_000):
        found = served.client.get(where).json()
        if found["state"] in {"succeeded", "failed"}:
            return dict(found)
        time.sleep(0.02)
    raise AssertionError(where)


def test_it_starts_answers_and_ends_in_good_order(
    folder: Path, server: Server, models: Models
) -> None:
    with serve_in(folder) as served:
        client = served.ready().client
        assert client.get("/healthz").headers.get("server") is None
        added = client.post("/v1/ingestions", json={"path": "notes"})
        assert ended(served, added.headers["location"])["state"] == "succeeded"
        assert client.post("/v1/search", json=ASKED).json()["seeds"]["ranked"]
        assert client.get("/v1/nodes/notes%3Aqueue.md%23pause").json()["title"] == "Pause"
        assert "30 seconds [1]" in client.post("/v1/ask", json=ASKED).text
        assert client.post("/mcp", json={}).status_code in {400, 406}
        assert counted(served, 'route="/mcp"')

        # Running requests are answered; new ones are refused.
        models.held.clear()
        with ThreadPoolExecutor(1) as waiting:
            late = waiting.submit(client.post, "/v1/ask", json=ASKED)
            assert models.waits.acquire(timeout=60)
            served.process.send_signal(signal.SIGTERM)
            until_closed(served.url)
            models.held.set()
            assert "30 seconds [1]" in late.result().text
        code, said, log = served.wait()
    assert code == 0
    assert said == ""  # behind the line that says where
    lines = [line.split(" ", 3)[3] for line in log.splitlines() if " /v1/search " in line]
    assert lines[0].startswith("POST /v1/search 200 ")
    assert "pause" not in log
    assert "Traceback" not in log


def counted(served: ServerProcess, what: str) -> bool:
    """A request is counted once its answer is out, so its asker may be quicker."""
    for _ in range(500):
        if what in served.client.get("/metrics").text:
            return True
        time.sleep(0.01)
    return False


def until_closed(url: str) -> None:
    for _ in range(500):
        try:
            httpx.get(f"{url}/healthz")
        except httpx.TransportError:
            return
        time.sleep(0.02)
    raise AssertionError("still taken")


def test_an_ingestion_outlives_its_server(folder: Path, server: Server, models: Models) -> None:
    """Killed in the midst of it; the next one takes it up."""
    with serve_in(folder) as served:
        served.ready()
        models.held.clear()
        where = served.client.post("/v1/ingestions", json={"path": "notes"}).headers["location"]
        assert models.waits.acquire(timeout=60)
        assert served.client.get(where).json()["state"] == "running"
        assert served.end(signal.SIGKILL)[0] == -signal.SIGKILL
    models.held.set()
    with serve_in(folder) as served:
        found = ended(served.ready(), where)
        assert (found["state"], found["attempts"]) == ("succeeded", 2)
        assert served.client.get("/v1/nodes/notes:queue.md").status_code == 200
        code, _, log = served.end(signal.SIGINT)
    assert code == 0
    assert "Traceback" not in log


def test_an_ingestion_that_cannot_be_finished_is_put_back(
    folder: Path, server: Server, models: Models
) -> None:
    text = (folder / "docgraph.yaml").read_text(encoding="utf-8").replace("drain: 10", "drain: 0.2")
    (folder / "docgraph.yaml").write_text(text, encoding="utf-8")
    with serve_in(folder) as served:
        served.ready()
        models.held.clear()
        where = served.client.post("/v1/ingestions", json={"path": "notes"}).headers["location"]
        assert models.waits.acquire(timeout=60)
        code, _, _ = served.end()
        assert code == 0
    models.held.set()
    with serve_in(folder) as served:
        found = ended(served.ready(), where)
        assert (found["state"], found["attempts"]) == ("succeeded", 1)


# Where it listens


def test_the_command_says_so_in_one_line(folder: Path) -> None:
    run = subprocess.run(
        [*COMMAND, "--host", "0.0.0.0", "--store", "s.db"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert run.returncode == 1
    assert run.stdout == ""
    assert run.stderr.startswith("docgraph: 0.0.0.0 can be reached from elsewhere")
    assert run.stderr.count("\n") == 1


def test_a_missing_extra_is_reported_by_its_name(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setitem(sys.modules, "docgraph.interfaces.http.server.serve", None)
    found = CliRunner().invoke(app, ["serve"])
    assert isinstance(found.exception, MissingExtra)
    assert "pip install 'docgraph[http]'" in str(found.exception)
