"""Changes have workers of their own, and a response that failed says what became of the change."""

import asyncio
import json
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from starlette.types import Message

from docgraph.interfaces.http.server.app_state import WRITERS
from docgraph.model.errors import Cancelled
from docgraph.ports.cancellation import Deadline
from docgraph.testing.small_store import HashedWords
from tests.integration.http.test_limits import send_request
from tests.support.http_app import HttpApp, ingest_notes, key_for, open_app, settings_of

RELATION = {"source": "notes:worker.md", "relation": "explains", "target": "notes:queue.md"}
Hold = Callable[[Path], Any]


@contextmanager
def locked_file(path: Path) -> Iterator[None]:
    """As another process that writes to it holds it."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("ROLLBACK")


@contextmanager
def ingest_lock(path: Path) -> Iterator[None]:
    with FileLock(f"{path}.ingest.lock", mode=0o600):
        yield


@contextmanager
def opened(folder: Path, **serve: Any) -> Iterator[HttpApp]:
    (folder / "roots" / "more").mkdir(parents=True, exist_ok=True)
    (folder / "roots" / "more" / "a.md").write_text("# A\n", encoding="utf-8")
    with open_app(settings_of(folder, roots=(str(folder / "roots"),), **serve)) as api:
        assert api.state.runner is not None
        api.state.runner.stop_claiming()
        ingest_notes(api.state)
        assert api.post("/v1/ingestions", {"path": "more"}).status_code == 202
        yield api


def changes(api: HttpApp) -> tuple[int, int]:
    """How many snapshots and ingest jobs there are."""
    snapshots = api.client.get("/v1/snapshots").json()["snapshots"]
    return len(snapshots), len(api.client.get("/v1/ingestions").json()["ingestions"])


def wait_for_writers(api: HttpApp) -> None:
    while api.state.writes.pending:
        time.sleep(0.01)


CASES = [
    ("/v1/relations", RELATION, "store.db", locked_file),
    ("/v1/relations", RELATION, "store.db", ingest_lock),
    ("/v1/ingestions", {"path": "more"}, "store.db.server", locked_file),
]


@pytest.mark.parametrize(("path", "body", "file", "hold"), CASES)
def test_a_change_that_was_answered_504_is_not_made_later(
    tmp_path: Path, path: str, body: object, file: str, hold: Hold
) -> None:
    with opened(tmp_path, time=0.5) as api:
        before = changes(api)
        with hold(tmp_path / file):
            answer = api.post(path, body)
        wait_for_writers(api)
        assert answer.status_code == 504
        assert answer.json()["change"] == "none"
        assert "nothing was changed, and nothing will be" in answer.json()["detail"]
        assert changes(api) == before


@pytest.mark.parametrize(("path", "body", "file", "hold"), CASES)
def test_a_change_whose_client_disconnects_is_not_made(
    tmp_path: Path, path: str, body: dict[str, str], file: str, hold: Hold
) -> None:
    with opened(tmp_path) as api:
        before = changes(api)
        sent = iter([{"type": "http.request", "body": json.dumps(body).encode()}])

        async def receive() -> Message:
            for part in sent:
                return part
            while not api.state.writes.pending:
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.2)
            return {"type": "http.disconnect"}

        with hold(tmp_path / file):
            status, _ = asyncio.run(send_request(api.client.app, receive, path))
        wait_for_writers(api)
        assert status == 499
        assert changes(api) == before


def test_a_change_that_is_being_committed_is_reported_as_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, begin_commit = threading.Event(), Deadline.begin_commit

    def slow_commit(deadline: Deadline) -> None:
        begin_commit(deadline)
        assert go_on.wait(30)

    with opened(tmp_path, time=0.5) as api:
        before = changes(api)
        monkeypatch.setattr(Deadline, "begin_commit", slow_commit)
        answer = api.post("/v1/relations", RELATION)
        go_on.set()
        wait_for_writers(api)
        assert answer.status_code == 504
        assert answer.json()["change"] == "unknown"
        assert "may still be" in answer.json()["detail"]
        assert changes(api) == (before[0] + 1, before[1])


def test_what_is_being_committed_cannot_be_cancelled_and_what_was_cancelled_is_not_committed() -> (
    None
):
    first, second = Deadline(60), Deadline(60)
    first.begin_commit()
    first.cancel()
    first.check()
    second.cancel()
    with pytest.raises(Cancelled):
        second.begin_commit()
    assert first.committing
    assert not second.committing


def test_a_change_waits_for_no_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = threading.Event()
    with opened(tmp_path, concurrency=1) as api:
        engine = type(api.state.engine.questions)
        monkeypatch.setattr(engine, "search", lambda *_: go_on.wait(60))
        with ThreadPoolExecutor(8) as clients:
            asked = [clients.submit(api.post, "/v1/search", {"question": "x"}) for _ in range(8)]
            while api.state.questions.pending < 8:
                time.sleep(0.01)
            statuses = [
                api.post("/v1/relations", RELATION).status_code,
                api.client.delete("/v1/relations", params=RELATION).status_code,
                api.post("/v1/ingestions", {"path": "more"}).status_code,
                api.client.get("/readyz").status_code,
            ]
            unanswered = not any(one.done() for one in asked)
            go_on.set()
        assert statuses == [201, 200, 202, 200]
        assert unanswered


def test_a_question_waits_for_no_change(tmp_path: Path) -> None:
    with opened(tmp_path) as api, ThreadPoolExecutor(2 * WRITERS) as clients:
        with ingest_lock(tmp_path / "store.db"):
            writes = [
                clients.submit(api.post, "/v1/relations", RELATION) for _ in range(2 * WRITERS)
            ]
            while api.state.writes.pending < 2 * WRITERS:
                time.sleep(0.01)
            assert api.post("/v1/retrieve", {"question": "queue"}).status_code == 200
            assert api.client.get("/readyz").status_code == 200
            assert not any(one.done() for one in writes)
        assert {one.result().status_code for one in writes} == {201}


def test_a_running_ingest_is_shown_to_who_may_ingest_and_changes_no_byte_for_others(
    tmp_path: Path,
) -> None:
    settings = settings_of(tmp_path, keys=True)
    with open_app(settings) as api:
        ingest_notes(api.state)
        ann, bob = key_for(settings, "ann", rights=("ingest",)), key_for(settings, "bob")

        def status(key: str) -> Any:
            return api.client.get("/v1/status", headers={"Authorization": key})

        before = status(ann).json(), status(bob).content
        store = api.state.engine.content.store
        with store.open_writer("local", "other", "main", HashedWords().identity):
            during = status(ann).json(), status(bob).content
        assert before[0]["ingests"] == []
        assert [list(one) for one in during[0].pop("ingests")] == [["since"]]
        assert before[0] == {**during[0], "ingests": []}
        assert before[1] == during[1]
        with store.open_writer("elsewhere", "other", "main", HashedWords().identity):
            assert status(ann).json() == before[0]


def test_on_postgres_a_change_that_was_answered_504_is_not_made_later(
    tmp_path: Path, database: str
) -> None:
    """While another session holds the lock of the branch."""
    settings = replace(settings_of(tmp_path, time=1.0), store=database)
    with open_app(settings) as api:
        ingest_notes(api.state)
        store = api.state.engine.content.store
        with store.open_writer("local", "notes", "main", HashedWords().identity):
            answer = api.post("/v1/relations", RELATION)
        wait_for_writers(api)
        assert answer.status_code == 504
        assert answer.json()["change"] == "none"
        assert len(api.client.get("/v1/snapshots").json()["snapshots"]) == 1
        assert api.post("/v1/relations", RELATION).status_code == 201
