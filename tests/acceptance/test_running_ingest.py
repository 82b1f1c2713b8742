"""Two real processes: a second ingest says for whom it waits, and questions and status say that
an ingest runs."""

import json
import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.http_server import DOCGRAPH, embeddings, settings_file
from tests.support.scripted_server import Answer, Body, serve_script
from tests.support.warm_command import warm_program


class GatedEmbedder:
    """Holds up an ingest of a text with the word `slow` until it is released."""

    def __init__(self) -> None:
        self.held, self.gate = threading.Event(), threading.Event()

    def __call__(self, body: Body) -> Answer:
        if any("slow" in text for text in body["input"]):
            self.held.set()
            assert self.gate.wait(120)
        return embeddings(body)


@pytest.fixture
def embedder() -> GatedEmbedder:
    return GatedEmbedder()


@pytest.fixture(params=["sqlite", "postgres"])
def folder(
    tmp_path: Path, embedder: GatedEmbedder, request: pytest.FixtureRequest
) -> Iterator[Path]:
    for name, text in (("quick", "# Quick\n"), ("sleepy", "# slow\n\nslow text\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.md").write_text(text, encoding="utf-8")
    with serve_script(embedder) as server:
        settings_file(tmp_path, server.base)
        if request.param == "postgres":
            file = tmp_path / "docgraph.yaml"
            dsn = request.getfixturevalue("database")
            text = file.read_text(encoding="utf-8").replace("store.db", dsn, 1)
            file.write_text(text, encoding="utf-8")
        yield tmp_path
        embedder.gate.set()


def start(
    folder: Path, *words: str, program: tuple[str, ...] = (*DOCGRAPH,)
) -> "subprocess.Popen[str]":
    env = {name: value for name, value in os.environ.items() if not name.startswith("DOCGRAPH_")}
    return subprocess.Popen(
        [*program, *words],
        cwd=folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(folder: Path, *words: str) -> tuple[str, str]:
    process = start(folder, *words, program=(warm_program(),))
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return out, err


@contextmanager
def running_ingest(folder: Path, embedder: GatedEmbedder) -> Iterator["subprocess.Popen[str]"]:
    """Of the branch `main` of the repository `sleepy`; it holds the lock."""
    process = start(folder, "ingest", "sleepy")
    try:
        assert embedder.held.wait(120)
        yield process
    finally:
        embedder.gate.set()
        process.communicate(timeout=120)


def test_a_second_ingest_says_at_once_for_whom_it_waits_and_how_long(
    folder: Path, embedder: GatedEmbedder
) -> None:
    with running_ingest(folder, embedder) as first:
        second = start(folder, "ingest", "sleepy", "--quiet")
        assert second.stderr is not None
        line = second.stderr.readline()
        assert line.startswith("waiting for another ingest to end (docgraph ingest, process ")
        assert f"process {first.pid} on " in line
        assert "since 20" in line
        assert line.endswith("for 600 s at most\n")
        embedder.gate.set()
        assert second.wait(120) == 0
        second.communicate()


def test_status_and_questions_mention_a_running_ingest_and_print_the_same(
    folder: Path, embedder: GatedEmbedder
) -> None:
    run(folder, "ingest", "quick")
    run(folder, "principals", "add", "ann")
    question = ("context", "quick", "--json")
    silent = run(folder, *question)
    as_ann = run(folder, "status", "--as", "ann", "--json")
    assert json.loads(run(folder, "status", "--json")[0])["ingests"] == []
    with running_ingest(folder, embedder) as first:
        out, err = run(folder, *question)
        assert out == silent[0]
        assert silent[1] == ""
        assert err.startswith("note: an ingest is running; ")
        (found,) = json.loads(run(folder, "status", "--json")[0])["ingests"]
        assert (found["pid"], found["command"]) == (first.pid, "docgraph ingest")
        assert f"an ingest is running: docgraph ingest, process {first.pid}" in run(
            folder, "status"
        )[0].replace("\n", " ")
        assert run(folder, "status", "--as", "ann", "--json") == as_ann
        assert run(folder, *question, "--as", "ann")[1] == ""


def test_an_ingest_that_was_killed_is_not_mentioned(folder: Path, embedder: GatedEmbedder) -> None:
    run(folder, "ingest", "quick")
    with running_ingest(folder, embedder) as first:
        first.send_signal(signal.SIGKILL)
        first.wait(120)
        while json.loads(run(folder, "status", "--json")[0])["ingests"]:
            assert first.poll() is not None  # Postgres ends a lost session a moment later
        assert run(folder, "context", "quick")[1] == ""
