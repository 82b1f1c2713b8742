"""Limits: how long a request may be, how much may wait, how long it may take; and who has left."""

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.types import ASGIApp, Message

from docgraph.interfaces.http.server.app import make_app, mounts
from docgraph.interfaces.http.server.app_state import build_app_state
from docgraph.interfaces.server.fair_queue import Overloaded, waiting_quota
from docgraph.interfaces.server.worker_pool import WorkerPool
from docgraph.pipeline.load import MAX_BYTES
from docgraph.ports.cancellation import check_cancelled
from docgraph.testing.small_store import HashedWords
from docgraph.wiring.server_settings import ServeSettings
from tests.support.http_app import HERE, HttpApp, ingest_notes, key_for, open_app, settings_of

ASKED = {"question": "the queue"}
SHARE = waiting_quota(ServeSettings().queue) + 1  # with the one that runs


def chunks(size: int) -> Iterator[bytes]:
    yield b'{"question": "'
    for _ in range(size // 1000):
        yield b"a" * 1000
    yield b'"}'


def test_a_body_is_bounded_whether_or_not_it_says_how_long_it_is(tmp_path: Path) -> None:
    with open_app(settings_of(tmp_path, body_bytes=10_000)) as api:
        for reported in ({"content": b"a" * 10_001}, {"content": chunks(20_000)}):
            answer = api.client.post(
                "/v1/search", headers={"content-type": "application/json"}, **reported
            )
            assert answer.status_code == 413
            assert "10000 bytes" in answer.json()["detail"]
        assert api.client.get("/healthz", headers={"content-length": "9" * 30}).status_code == 413


def test_no_more_of_a_body_is_read_than_it_may_have(api: HttpApp) -> None:
    read = 0

    async def receive() -> Message:
        nonlocal read
        read += 100_000
        return {"type": "http.request", "body": b" " * 100_000, "more_body": True}

    status, _ = asyncio.run(send_request(api.client.app, receive))
    assert status == 413
    assert read <= 1_200_000


def test_a_body_that_does_not_come_is_not_awaited(tmp_path: Path) -> None:
    with open_app(settings_of(tmp_path, time=0.2)) as api:

        async def receive() -> Message:
            await asyncio.sleep(5)
            raise AssertionError("waited for")

        status, _ = asyncio.run(send_request(api.client.app, receive))
        assert status == 408


def test_who_leaves_while_they_speak_is_no_failure_of_ours(
    api: HttpApp, caplog: pytest.LogCaptureFixture
) -> None:
    said = iter([{"type": "http.request", "body": b"{", "more_body": True}])

    async def receive() -> Message:
        return next(said, {"type": "http.disconnect"})

    with caplog.at_level(logging.INFO, "docgraph"):
        status, _ = asyncio.run(send_request(api.client.app, receive))
    assert status == 499
    assert [record.getMessage()[:20] for record in caplog.records] == ["POST /v1/search 499 "]


async def send_request(app: ASGIApp, receive: Any, path: str = "/v1/search") -> tuple[int, bytes]:
    """One request, sent message by message."""
    sent: list[Message] = []

    async def send(data: Message) -> None:
        sent.append(data)

    headers = [(b"host", b"127.0.0.1"), (b"content-type", b"application/json")]
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": headers,
        "server": ("127.0.0.1", 80),
        "client": ("127.0.0.1", 1),
        "state": {},
    }
    await app(scope, receive, send)
    body = b"".join(data.get("body", b"") for data in sent)
    return (sent[0]["status"] if sent else 0), body


def test_top_and_budget_have_limits_of_the_servers(tmp_path: Path) -> None:
    with open_app(settings_of(tmp_path, top=5, max_tokens=500)) as api:
        ingest_notes(api.state)
        for wrong in ({"top": 6}, {"max_tokens": 501}, {}):
            answer = api.post("/v1/retrieve", {**ASKED, **wrong})
            assert answer.status_code == 422
            assert "this server takes up to" in answer.json()["detail"]
        assert api.post("/v1/retrieve", {**ASKED, "top": 5, "max_tokens": 500}).status_code == 200


@pytest.mark.parametrize("limit", [{"top": 5}, {"max_tokens": 500}])
def test_a_replay_has_the_limits_of_the_server(tmp_path: Path, limit: dict[str, Any]) -> None:
    with open_app(settings_of(tmp_path)) as api:
        ingest_notes(api.state)
        receipt = api.post("/v1/retrieve", {**ASKED, "receipt": True}).json()["receipt"]
        assert api.post("/v1/receipts/replay", {"receipt": receipt}).json()["same"] is True
    with open_app(settings_of(tmp_path, **limit)) as api:
        answer = api.post("/v1/receipts/replay", {"receipt": receipt})
        assert answer.status_code == 422
        assert "this server takes up to" in answer.json()["detail"]


def test_a_pipeline_takes_so_many_steps_and_so_many_bytes(tmp_path: Path) -> None:
    def written(steps: int, more: str = "") -> dict[str, str]:
        return {"yaml": "pipeline: x\nsteps:\n" + "- search_nodes\n" * steps + more}

    with open_app(settings_of(tmp_path, steps=3)) as api:
        ingest_notes(api.state)
        assert api.post("/v1/search", {**ASKED, "pipeline": written(3)}).status_code == 200
        more = api.post("/v1/search", {**ASKED, "pipeline": written(4)})
        assert more.status_code == 422
        assert "at most 3 steps" in more.json()["detail"]
        long = {**ASKED, "pipeline": written(1, "#" * MAX_BYTES)}
        assert api.post("/v1/search", long).status_code == 422


def test_an_operators_pipeline_goes_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("pipeline: theirs\nextends: flat\n", encoding="utf-8")
    with open_app(settings_of(tmp_path, pipelines={"mine": str(tmp_path / "mine.yaml")})) as api:
        ingest_notes(api.state)
        assert api.post("/v1/search", {**ASKED, "pipeline": "mine"}).status_code == 200
        below = {"pipeline": "x", "extends": "mine"}
        assert api.post("/v1/search", {**ASKED, "pipeline": below}).status_code == 200
        assert api.post("/v1/search", {**ASKED, "pipeline": "mine.yaml"}).status_code == 422


# Deadline


def slow(api: HttpApp, monkeypatch: pytest.MonkeyPatch, step: Callable[[], None]) -> None:
    real = type(api.state.engine.questions).search

    def slowly(*args: Any, **reported: Any) -> Any:
        step()
        return real(*args, **reported)

    monkeypatch.setattr(type(api.state.engine.questions), "search", slowly)


def test_64_clients_at_once_get_no_error(api: HttpApp) -> None:
    alone = api.post("/v1/search", ASKED).content
    with ThreadPoolExecutor(64) as clients:
        found = list(clients.map(lambda _: api.post("/v1/search", ASKED), range(192)))
    assert {answer.status_code for answer in found} == {200}
    assert {answer.content for answer in found} == {alone}
    assert api.state.questions.pending == 0


def test_more_than_may_wait_are_sent_away_and_reported_when_to_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()
    with open_app(settings_of(tmp_path, concurrency=1, queue=1)) as api:
        ingest_notes(api.state)
        slow(api, monkeypatch, lambda: assert_(go_on.wait(60)))
        with ThreadPoolExecutor(2) as clients:
            first = [clients.submit(api.post, "/v1/search", ASKED) for _ in range(2)]
            while api.state.questions.pending < 2:
                time.sleep(0.01)
            refused = api.post("/v1/search", ASKED)
            assert refused.status_code == 503
            assert refused.headers["retry-after"] == "1"
            assert api.client.get("/readyz").status_code == 200
            go_on.set()
            assert [one.result().status_code for one in first] == [200, 200]


def test_one_reader_does_not_fill_the_queue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A user who exceeds their quota is refused; others are not."""
    go_on, settings = threading.Event(), settings_of(tmp_path, keys=True, concurrency=1)
    with open_app(settings) as api:
        ingest_notes(api.state)
        ann, bob = key_for(settings, "ann"), key_for(settings, "bob")
        slow(api, monkeypatch, lambda: assert_(go_on.wait(30)))
        with ThreadPoolExecutor(SHARE + 1) as clients:

            def asks(who: str) -> "Future[Any]":
                return clients.submit(api.post, "/v1/search", ASKED, Authorization=who)

            first = [asks(ann) for _ in range(SHARE)]
            while api.state.questions.pending < SHARE:
                time.sleep(0.01)
            refused = asks(ann).result()
            assert refused.status_code == 503
            assert refused.headers["retry-after"] == "1"
            let_in = asks(bob)
            while api.state.questions.pending == SHARE and not let_in.done():
                time.sleep(0.01)
            go_on.set()
            assert let_in.result().status_code == 200
            assert {one.result().status_code for one in first} == {200}
            assert asks(ann).result().status_code == 200


def assert_(what: bool) -> None:
    assert what


def test_what_takes_too_long_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker, too: the next question finds it free."""
    ended = threading.Event()

    def forever() -> None:
        try:
            while True:
                check_cancelled()
                time.sleep(0.01)
        finally:
            ended.set()

    with open_app(settings_of(tmp_path, concurrency=1, time=0.3)) as api:
        ingest_notes(api.state)
        slow(api, monkeypatch, forever)
        answer = api.post("/v1/search", ASKED)
        assert answer.status_code == 504
        assert "0.3 seconds" in answer.json()["detail"]
        assert ended.wait(60)
        monkeypatch.undo()
        assert api.post("/v1/search", ASKED).status_code == 200


@pytest.mark.parametrize("path", ["/v1/search", "/v1/ask"])
def test_who_leaves_takes_their_question_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    begun, ended = threading.Event(), threading.Event()

    def forever(*_: object, **__: object) -> None:
        begun.set()
        try:
            while True:
                check_cancelled()
                time.sleep(0.01)
        finally:
            ended.set()

    with open_app(settings_of(tmp_path)) as api:
        engine = type(api.state.engine.questions)
        monkeypatch.setattr(engine, "search", forever)
        monkeypatch.setattr(engine, "ask", forever)
        said = iter([{"type": "http.request", "body": b'{"question": "x"}', "more_body": False}])

        async def receive() -> Message:
            for data in said:
                return data
            await asyncio.to_thread(begun.wait, 5)
            return {"type": "http.disconnect"}

        asyncio.run(send_request(api.client.app, receive, path))
        assert ended.wait(60)


def test_what_nobody_waits_for_any_more_is_not_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A question that was still in the queue when its asker left."""
    go_on, asked = threading.Event(), list[str]()
    with open_app(settings_of(tmp_path, concurrency=1)) as api:
        ingest_notes(api.state)

        def held_up() -> None:
            asked.append("asked")
            assert go_on.wait(60)

        slow(api, monkeypatch, held_up)
        with ThreadPoolExecutor(1) as clients:
            first = clients.submit(api.post, "/v1/search", ASKED)
            while not asked:
                time.sleep(0.01)
            said = iter([{"type": "http.request", "body": b'{"question": "x"}'}])

            async def receive() -> Message:
                for data in said:
                    return data
                while api.state.questions.pending < 2:
                    await asyncio.sleep(0.01)
                return {"type": "http.disconnect"}

            asyncio.run(send_request(api.client.app, receive))
            go_on.set()
            assert first.result().status_code == 200
        while api.state.questions.pending:
            time.sleep(0.01)
    assert asked == ["asked"]


def test_workers_take_what_came_first() -> None:
    workers, done = WorkerPool("test", 1, 100), list[int]()
    held = threading.Event()
    waited = [workers.submit(lambda: assert_(held.wait(60)), None)]
    waited += [workers.submit(partial(done.append, number), None) for number in range(50)]
    held.set()
    for one in waited:
        one.result(60)
    assert done == list(range(50))
    assert workers.close(5)


def test_workers_refuse_beyond_their_queue_and_outlive_an_error() -> None:
    workers, held = WorkerPool("test", 1, 1), threading.Event()
    first, second = (workers.submit(lambda: assert_(held.wait(60)), None) for _ in range(2))
    with pytest.raises(Overloaded):
        workers.submit(lambda: None, None)
    held.set()
    first.result(60)
    second.result(60)
    broken = workers.submit(lambda: 1 / 0, None)
    with pytest.raises(ZeroDivisionError):
        broken.result(60)
    assert workers.submit(lambda: 7, None).result(60) == 7
    assert workers.close(5)


# What is logged of requests


@pytest.mark.parametrize("metrics", ["loopback", "open"])
def test_metrics_are_for_this_machine_unless_they_are_open(tmp_path: Path, metrics: str) -> None:
    """They are of all tenants. Elsewhere nothing seems to be there."""
    with open_app(settings_of(tmp_path, metrics=metrics)) as api:
        for host in ("127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"):
            assert coming_from(api, host, "/metrics").status_code == 200
        for host in ("10.0.0.5", "2001:db8::1", "::ffff:10.0.0.5", "localhost.example"):
            found, absent = (coming_from(api, host, path) for path in ("/metrics", "/nowhere"))
            assert found.status_code == (200 if metrics == "open" else 404)
            assert (found.content == absent.content) == (metrics == "loopback")


def coming_from(api: HttpApp, host: str, path: str) -> Any:
    client = TestClient(api.client.app, base_url=HERE, client=(host, 50_000))
    return client.get(path)


def test_who_called_mcp_stands_in_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    settings = settings_of(tmp_path, keys=True)
    built = build_app_state(settings, HashedWords)
    ann = {"Authorization": key_for(settings, "ann")}
    with (
        TestClient(make_app(built, mounts(built)), base_url=HERE) as client,
        caplog.at_level(logging.INFO, "docgraph.access"),
    ):
        client.post("/mcp", json={}, headers=ann)
        client.post("/mcp", json={})
    reported = [
        line.getMessage().split() for line in caplog.records if line.name == "docgraph.access"
    ]
    assert [(words[1], words[-1]) for words in reported] == [("/mcp", "ann"), ("/mcp", "-")]


def test_metrics_and_log_name_routes_never_ids_or_words(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with open_app(settings_of(tmp_path)) as api:
        ingest_notes(api.state)
        with caplog.at_level(logging.INFO, "docgraph"):
            api.client.get("/v1/nodes/notes:queue.md?repository=notes")
            api.post("/v1/search", {"question": "a very private question"})
            api.client.get("/v1/somewhere/private")
            api.client.request("PRIVATE", "/v1/search")
        reported = api.client.get("/metrics")
    assert reported.headers["content-type"].startswith("text/plain")
    lines = reported.text.splitlines()
    assert (
        'docgraph_http_requests_total{method="GET",route="/v1/nodes/{id:path}",status="200"} 1.0'
        in lines
    )
    assert 'docgraph_http_requests_total{method="GET",route="unmatched",status="404"} 1.0' in lines
    assert (
        'docgraph_http_requests_total{method="other",route="/v1/search",status="405"} 1.0' in lines
    )
    assert 'docgraph_http_request_seconds_count{method="POST",route="/v1/search"} 1.0' in lines
    assert "docgraph_http_in_flight 1.0" in lines
    for words in (reported.text, caplog.text):
        assert "private question" not in words
        assert "somewhere" not in words
        assert "notes" not in words
    access = [record.getMessage() for record in caplog.records if record.name == "docgraph.access"]
    assert access[1].startswith("POST /v1/search 200 ")
    assert access[1].endswith(" local")
