"""One user's flood of slow requests delays another user's question by a bounded number of them."""

import json
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.http_app import NOTES
from tests.support.http_server import (
    ServerProcess,
    create_key,
    embeddings,
    run_in,
    serve_in,
    settings_file,
)
from tests.support.scripted_server import Answer, Body, serve_script

FLOOD = 80
CONCURRENCY = 2
Served = tuple[ServerProcess, dict[str, str]]
TURNS = count()
TIME = 20  # seconds that a question may take: what waits for a whole flood fails


class GatedModel:
    """An embedder that holds up every question with the word `slow`, and remembers the order in
    which questions began."""

    def __init__(self) -> None:
        self.gate = threading.Semaphore(0)
        self.began: list[str] = []
        self.answered: list[str] = []

    def __call__(self, body: Body) -> Answer:
        (question, *_) = body["input"]
        self.began.append(question)
        if question.startswith("slow"):
            assert self.gate.acquire(timeout=60)
        self.answered.append(question)
        return embeddings(body)


@pytest.fixture(scope="module")
def shared_model() -> GatedModel:
    return GatedModel()


@pytest.fixture
def model(shared_model: GatedModel, served: Served) -> GatedModel:
    """As if nothing had been asked yet."""
    while held(served[0]):
        pass
    shared_model.gate = threading.Semaphore(0)
    shared_model.began.clear()
    shared_model.answered.clear()
    return shared_model


@pytest.fixture(scope="module")
def server(
    tmp_path_factory: pytest.TempPathFactory, shared_model: GatedModel
) -> Iterator[tuple[ServerProcess, Path]]:
    tmp_path = tmp_path_factory.mktemp("served")
    notes = tmp_path / "notes"
    notes.mkdir()
    for path in ("queue.md", "worker.md"):
        (notes / path).write_text(NOTES[path], encoding="utf-8")
    with serve_script(shared_model) as server:
        limits = f"concurrency: {CONCURRENCY}, time: {TIME}, drain: 1"
        settings_file(tmp_path, server.base, f"login: {{keys: true}}\nserve: {{{limits}}}\n")
        run_in(tmp_path, "ingest", "notes", "--reader", "everyone")
        with serve_in(tmp_path) as process:
            yield process.ready(), tmp_path


@pytest.fixture
def served(server: tuple[ServerProcess, Path]) -> Served:
    """With users who have asked nothing yet: what they asked is not embedded again."""
    process, folder = server
    turn = next(TURNS)
    return process, {name: create_key(folder, f"{name}{turn}") for name in ("ann", "bob", "cat")}


def held(server: ServerProcess) -> int:
    """Questions that run or wait."""
    lines = server.client.get("/metrics").text.splitlines()
    (found,) = (line for line in lines if line.startswith("docgraph_questions_held "))
    return int(float(found.split()[1]))


@contextmanager
def concurrent_clients(model: GatedModel) -> Iterator[ThreadPoolExecutor]:
    """At the end nothing is held up any more."""
    with ThreadPoolExecutor(2 * FLOOD + 1) as clients:
        try:
            yield clients
        finally:
            model.gate.release(1_000)


def flood(
    clients: ThreadPoolExecutor, server: ServerProcess, key: str, many: int, name: str
) -> "list[Future[httpx.Response]]":
    before = held(server)

    def ask(number: int) -> httpx.Response:
        body = {"question": f"slow {name} {number}", "node": "notes:queue.md"}
        return post(server, "/v1/explain", body, key)

    found = [clients.submit(ask, number) for number in range(many)]
    while held(server) < before + many:
        assert not any(one.done() for one in found)
    return found


def post(server: ServerProcess, path: str, body: object, key: str) -> httpx.Response:
    headers = {"Authorization": f"Bearer {key}", "Accept": "application/json"}
    if path == "/mcp":
        headers["Accept"] = "application/json, text/event-stream"
    return httpx.post(f"{server.url}{path}", json=body, headers=headers, timeout=120)


def tool_call(name: str, **arguments: Any) -> object:
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/retrieve", {"question": "quick"}),
        ("/v1/explain", {"question": "quick", "node": "notes:queue.md"}),
        ("/v1/ask", {"question": "quick"}),
        ("/mcp", tool_call("context", question="quick")),
    ],
)
def test_a_question_waits_for_no_request_of_a_user_who_floods(
    served: Served, model: GatedModel, path: str, body: object
) -> None:
    """All that the flood has running is blocked; the question is answered none the less."""
    server, keys = served
    with concurrent_clients(model) as clients:
        flood(clients, server, keys["ann"], FLOOD, "ann")
        answer = post(server, path, body, keys["bob"])
        assert answer.status_code == 200, answer.text
        assert "isError" not in answer.text or not answer.json()["result"]["isError"]
        assert model.answered == ["quick"]
        assert len(model.began) == CONCURRENCY + 1


def test_a_question_waits_for_at_most_one_request_of_each_user_who_floods(
    served: Served, model: GatedModel
) -> None:
    """Two users hold every worker. One request is answered, then the question's turn comes."""
    server, keys = served
    with concurrent_clients(model) as clients:
        flood(clients, server, keys["ann"], FLOOD // 2, "ann")
        flood(clients, server, keys["cat"], FLOOD // 2, "cat")
        before = len(model.began)
        assert before == CONCURRENCY + 1
        question = clients.submit(post, server, "/v1/retrieve", {"question": "quick"}, keys["bob"])
        while held(server) <= FLOOD:
            assert not question.done()
        while not question.done():
            model.gate.release()
            while len(model.began) == before and not question.done():
                pass
            before = len(model.began)
        assert question.result().status_code == 200
        assert model.answered.index("quick") <= 3, model.answered


def test_a_flood_over_mcp_and_a_flood_over_http_are_of_one_user(
    served: Served, model: GatedModel
) -> None:
    server, keys = served
    with concurrent_clients(model) as clients:
        flood(clients, server, keys["ann"], 10, "ann")
        call = tool_call("context", question="slow ann over mcp")
        for _ in range(10):
            clients.submit(post, server, "/mcp", call, keys["ann"])
        while held(server) < 20:
            pass
        assert post(server, "/v1/search", {"question": "quick"}, keys["bob"]).status_code == 200
        assert len(model.began) == CONCURRENCY + 1, json.dumps(model.began)
