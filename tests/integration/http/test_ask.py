"""Answers over HTTP: piece by piece as a model says them, or whole; problems at any time."""

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from docgraph.wiring.model_settings import ChatEndpoint
from docgraph.wiring.settings import Settings
from tests.integration.test_asking import streamed
from tests.support.chat_endpoint import text_event
from tests.support.http_app import HttpApp, ingest_notes, open_app, settings_of
from tests.support.scripted_server import Halt, Server, Stream, serve_script

ASKED = {"question": "How long is the pause of the queue?"}
SAID = "It is 30 seconds [1]. Surely."


def events(text: str) -> list[tuple[str, Any]]:
    found = []
    for block in text.split("\n\n")[:-1]:
        name, data = block.split("\n")
        found.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found


@pytest.fixture
def server() -> Iterator[Server]:
    with serve_script(lambda _: streamed(SAID)) as server:
        yield server


@pytest.fixture
def answering(server: Server, tmp_path: Path) -> Iterator[HttpApp]:
    chat = ChatEndpoint(server.base, "tiny", context_window=4000)
    base = settings_of(tmp_path, answer_time=5.0)
    with open_app(Settings(base.store, answer_endpoints=(chat,), serve=base.serve)) as api:
        ingest_notes(api.state)
        yield api


def test_an_answer_comes_piece_by_piece(answering: HttpApp) -> None:
    found = answering.post("/v1/ask", ASKED)
    assert found.headers["content-type"].startswith("text/event-stream")
    details = events(found.text)
    pieces = [data["text"] for name, data in details if name == "piece"]
    assert len(pieces) > 1
    assert "".join(pieces) == SAID
    assert [name for name, _ in details[len(pieces) :]] == ["answer"]
    answer = details[-1][1]["answer"]
    assert answer["text"] == SAID
    assert [flag["kind"] for flag in answer["flags"]] == ["uncited"]


def test_an_answer_comes_whole_where_json_is_asked_for(answering: HttpApp) -> None:
    whole = answering.post("/v1/ask", {**ASKED, "receipt": True}, Accept="application/json")
    assert whole.headers["content-type"] == "application/json"
    details = whole.json()
    assert details["answer"]["text"] == SAID
    assert details["receipt"]["answer"]["digest"] == details["digest"]
    streamed_ = events(answering.post("/v1/ask", {**ASKED, "receipt": True}).text)[-1][1]
    assert streamed_ == details


def test_without_a_model_the_context_is_the_answer(api: HttpApp) -> None:
    ((name, details),) = events(api.post("/v1/ask", ASKED).text)
    assert (name, details["answer"]["kind"]) == ("answer", "no_model")


def test_an_error_before_the_first_piece_has_its_own_status(
    answering: HttpApp, server: Server
) -> None:
    """And tells nothing of where the model's server is."""
    server.script.append((401, {"error": {"message": "no such key"}}, {}))
    refused = answering.post("/v1/ask", ASKED)
    assert refused.status_code == 502
    assert refused.headers["content-type"] == "application/problem+json"
    assert server.base not in refused.text
    assert answering.post("/v1/ask", {"question": ""}).status_code == 422


def test_an_error_after_the_first_piece_is_the_last_event(
    answering: HttpApp, server: Server
) -> None:
    server.script.append((200, Stream((text_event("It is "), Halt.DROP)), {}))
    details = events(answering.post("/v1/ask", ASKED).text)
    assert [name for name, _ in details] == ["piece", "problem"]
    assert details[-1][1]["status"] == 502
    assert server.base not in str(details)


def test_an_answer_that_takes_too_long_ends(tmp_path: Path, server: Server) -> None:
    """Also where the model's server says nothing at all."""
    server.script.append((200, Stream((text_event("It is "), Halt.STALL)), {}))
    server.script.append((200, Stream((Halt.STALL,)), {}))
    chat = ChatEndpoint(server.base, "tiny", context_window=4000)
    base = settings_of(tmp_path, answer_time=0.5)
    with open_app(Settings(base.store, answer_endpoints=(chat,), serve=base.serve)) as api:
        ingest_notes(api.state)
        details = events(api.post("/v1/ask", ASKED).text)
        assert [name for name, _ in details] == ["piece", "problem"]
        assert details[-1][1]["status"] == 504
        whole = api.post("/v1/ask", ASKED, Accept="application/json")
        assert whole.status_code == 504
        until = time.monotonic() + 60
        while api.state.answers.pending:
            assert time.monotonic() < until, "the model's server is still waited for"
            time.sleep(0.01)


def test_more_than_may_wait_for_a_model_are_sent_away(tmp_path: Path, server: Server) -> None:
    go_on = threading.Event()
    server.script.append((200, Stream((go_on, *streamed(SAID)[1].parts)), {}))  # type: ignore[attr-defined]
    chat = ChatEndpoint(server.base, "tiny", context_window=4000)
    base = settings_of(tmp_path, answers=1, queue=0)
    with open_app(Settings(base.store, answer_endpoints=(chat,), serve=base.serve)) as api:
        ingest_notes(api.state)
        first: list[Any] = []
        asking = threading.Thread(target=lambda: first.append(api.post("/v1/ask", ASKED)))
        asking.start()
        while not api.state.answers.pending:
            pass
        refused = api.post("/v1/ask", ASKED)
        assert refused.status_code == 503
        assert refused.headers["retry-after"] == "1"
        assert api.post("/v1/search", ASKED).status_code == 200  # who needs no model does not wait
        go_on.set()
        asking.join()
        assert first[0].status_code == 200
