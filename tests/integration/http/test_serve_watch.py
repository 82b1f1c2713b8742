"""`docgraph serve --watch` as people start it: what is saved is in the next response."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.http_server import (
    ServerProcess,
    create_key,
    embeddings,
    run_in,
    serve_in,
    settings_file,
)
from tests.support.scripted_server import Answer, Body, serve_script

PATIENCE = 120.0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    write(tmp_path, "a.md", "# Apples\n\nApples are red.\n")
    return tmp_path


@pytest.fixture
def embedder() -> Iterator[str]:
    with serve_script(embeddings) as server:
        yield server.base


@pytest.fixture
def with_keys(folder: Path, embedder: str) -> Path:
    """People of a store have keys, so there is one, with something else in it."""
    settings_file(folder, embedder, "login: {keys: true}\n")
    (folder / "seed").mkdir()
    (folder / "seed" / "s.md").write_text("# Seed\n", encoding="utf-8")
    run_in(folder, "ingest", "seed", "--quiet")
    return folder


def add_settings(folder: Path, more: str) -> None:
    file = folder / "docgraph.yaml"
    file.write_text(file.read_text(encoding="utf-8") + more, encoding="utf-8")


def write(folder: Path, name: str, text: str) -> None:
    (folder / "notes" / name).write_text(text, encoding="utf-8")


def text_of(server: ServerProcess, **headers: str) -> str:
    body = {"question": "Which colour are apples?"}
    response = server.client.post("/v1/retrieve", json=body, headers=headers)
    assert response.status_code == 200, response.text
    return str(response.json()["context"]["text"])


def await_text(server: ServerProcess, text: str, **headers: str) -> None:
    until = time.monotonic() + PATIENCE
    while text not in text_of(server, **headers):
        assert time.monotonic() < until, text_of(server, **headers)
        time.sleep(0.05)


@pytest.mark.requirement(56)
def test_what_is_saved_is_in_the_next_response_and_sigterm_ends_it(
    folder: Path, embedder: str
) -> None:
    settings_file(folder, embedder)
    with serve_in(folder, "--watch", "notes") as server:
        await_text(server.ready(), "red")
        write(folder, "a.md", "# Apples\n\nApples are green.\n")
        await_text(server, "green")
        code, _, log = server.end()
    assert code == 0
    assert "notes main: snapshot 2: added 0, changed 1, removed 0, in " in log
    assert "a.md" not in log
    assert "Traceback" not in log


def test_the_settings_name_who_may_read(with_keys: Path) -> None:
    folder = with_keys
    watch = "[{path: notes, repository: fruit, readers: [staff]}]"
    add_settings(folder, f"serve: {{watch: {watch}}}\n")
    staff, others = (
        {"authorization": f"Bearer {create_key(folder, name, name)}"}
        for name in ("staff", "others")
    )
    with serve_in(folder) as server:
        await_text(server.ready(), "red", **staff)
        assert "red" not in text_of(server, **others)
        write(folder, "a.md", "# Apples\n\nApples are green.\n")
        await_text(server, "green", **staff)
        assert "green" not in text_of(server, **others)
        assert server.end()[0] == 0


def test_sigterm_ends_an_ingest_that_runs_and_nothing_of_it_is_visible(folder: Path) -> None:
    """Its embedder is slow."""

    def answer(body: Body) -> Answer:
        if any("slow" in text for text in body["input"]):
            time.sleep(5)
        return embeddings(body)

    with serve_script(answer) as endpoint:
        settings_file(folder, endpoint.base, "serve: {drain: 60}\n")
        with serve_in(folder, "--watch", "notes") as server:
            await_text(server.ready(), "red")
            write(folder, "b.md", "# slow\n")
            until = time.monotonic() + PATIENCE
            while not server.client.get("/v1/status").json()["ingests"]:
                assert time.monotonic() < until
            code, _, log = server.end()
    assert code == 0
    assert "snapshot 2" not in log
    assert "Traceback" not in log


def test_a_path_that_is_not_there_ends_the_start(folder: Path, embedder: str) -> None:
    settings_file(folder, embedder)
    with (
        pytest.raises(AssertionError, match="absent: there is no such file or folder"),
        serve_in(folder, "--watch", "absent"),
    ):
        pass


def test_who_may_not_ingest_gets_no_state_of_the_source(with_keys: Path) -> None:
    folder = with_keys
    add_settings(folder, "serve: {watch: [{path: notes, readers: [everyone]}]}\n")
    owner = {"authorization": f"Bearer {create_key(folder, 'ann', 'staff')}"}
    run_in(folder, "principals", "add", "bob", "--group", "staff")
    key = json.loads(run_in(folder, "keys", "add", "bob", "--json"))["secret"]
    reader = {"authorization": f"Bearer {key}"}
    with serve_in(folder) as server:
        await_text(server.ready(), "red", **reader)
        states: list[dict[str, str]] = []
        until = time.monotonic() + PATIENCE
        while not any(one["state"] == "current" for one in states):
            assert time.monotonic() < until
            states = server.client.get("/v1/status", headers=owner).json()["source_states"]
        assert server.client.get("/v1/status", headers=reader).json()["source_states"] == []
        body = {"question": "Which colour are apples?"}
        found = server.client.post("/v1/retrieve", json=body, headers=reader).json()
        assert found["source_states"] == []
        assert server.end()[0] == 0
