"""Events: a worker waits for a slow client, and for one that has left no longer."""

import asyncio
import socket
import threading
import time
from pathlib import Path

import pytest

from docgraph.interfaces.http.server.app import make_app
from docgraph.interfaces.http.server.app_state import build_app_state
from docgraph.interfaces.http.server.event_stream import MOST, STILL_HERE, Events, event
from docgraph.model.errors import BadInput
from docgraph.ports.cancellation import Deadline
from docgraph.testing.small_store import HashedWords
from docgraph.wiring.model_settings import ChatEndpoint
from docgraph.wiring.settings import Settings
from tests.integration.http.test_schema import served
from tests.support.chat_endpoint import text_event
from tests.support.http_app import ingest_notes, settings_of
from tests.support.scripted_server import Halt, Stream, serve_script


def begun(events: Events, work: object) -> threading.Thread:
    thread = threading.Thread(target=events.run, args=(work,))
    thread.start()
    return thread


def test_a_worker_runs_no_further_ahead_than_it_may() -> None:
    data = list[int]()

    async def pieces() -> list[bytes]:
        events = Events(Deadline(), "id")

        def work() -> None:
            for number in range(3 * MOST):
                events.send("piece", number)
                data.append(number)

        thread = begun(events, work)
        while len(data) < MOST:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        assert len(data) == MOST
        found = [part async for part in events.stream(await events.first())]
        await asyncio.to_thread(thread.join)
        return found

    assert asyncio.run(pieces()) == [event("piece", number) for number in range(3 * MOST)]


def test_a_worker_whose_client_disconnected_stops() -> None:
    async def left() -> None:
        waiting = Deadline()
        events = Events(waiting, "id")

        def work() -> None:
            while True:
                events.send("piece", "on and on")

        thread = begun(events, work)
        await events.first()
        waiting.cancel()
        await asyncio.to_thread(thread.join, 60)
        assert not thread.is_alive()

    asyncio.run(left())


def test_a_silent_stream_says_that_it_is_still_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("docgraph.interfaces.http.server.event_stream.PAUSE", 0.02)

    async def pieces() -> list[bytes]:
        events = Events(Deadline(), "id")
        go_on = threading.Event()

        def work() -> None:
            events.send("piece", 1)
            assert go_on.wait(60)
            raise BadInput("in words")

        thread = begun(events, work)
        found = list[bytes]()
        async for part in events.stream(await events.first()):
            found.append(part)
            if found.count(STILL_HERE) == 3:
                go_on.set()
        await asyncio.to_thread(thread.join)
        return found

    found = asyncio.run(pieces())
    assert found[0] == event("piece", 1)
    assert b'"detail":"in words"' in found[-1]


def test_who_hangs_up_in_the_midst_of_an_answer_lets_go_of_the_model(tmp_path: Path) -> None:
    """Over real connections, on both sides of the server."""
    parts = (text_event("It is "), Halt.STALL)
    with serve_script(lambda _: (200, Stream(parts), {})) as model:
        chat = ChatEndpoint(model.base, "tiny", context_window=4000)
        base = settings_of(tmp_path)
        state = build_app_state(
            Settings(base.store, answer_endpoints=(chat,), serve=base.serve), HashedWords
        )
        ingest_notes(state)
        with served(make_app(state)) as url:
            host, port = url.removeprefix("http://").split(":")
            with socket.create_connection((host, int(port))) as line:
                body = b'{"question": "the queue"}'
                head = (
                    "POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                )
                line.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
                pieces = b""
                while b"event: piece" not in pieces:
                    pieces += line.recv(4096)
                assert state.answers.pending == 1
            until = time.monotonic() + 60
            while state.answers.pending and time.monotonic() < until:
                time.sleep(0.01)
            assert state.answers.pending == 0
