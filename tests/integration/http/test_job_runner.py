"""The runner leaves no ingestion stuck, whatever becomes of the server that began it."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from docgraph.adapters.sqlite.server_tables import SqliteIngestJobQueue
from docgraph.ingest.progress import READING, Progress, ReportProgress
from docgraph.interfaces.http.jobs.job_runner import MOST_ATTEMPTS, JobRunner
from docgraph.interfaces.http.responses import as_json
from docgraph.interfaces.http.routes.ingestions import status_of
from docgraph.model.access import Person
from docgraph.model.errors import BadInput, ModelError
from docgraph.model.ingest_job import FINISHED_STATES, IngestJob, IngestJobRequest
from docgraph.ports.cancellation import on_cancel

ASKED = IngestJob(
    id="one",
    requester=Person("ann", "local"),
    authenticated_by="",
    request=IngestJobRequest("notes", "notes"),
    state="queued",
    attempts=0,
    created="2026-01-01T00:00:00+00:00",
    updated="2026-01-01T00:00:00+00:00",
)


@dataclass
class Book:
    """A real book, with a clock that a test can put forward."""

    ingestions: SqliteIngestJobQueue
    late: list[float] = field(default_factory=lambda: [0.0])

    def state(self) -> IngestJob:
        found = self.ingestions.get("local", "one")
        assert found is not None
        return found

    def until_ended(self, name: str) -> IngestJob:
        for _ in range(500):
            found = self.ingestions.get("local", name)
            if found is not None and found.state in FINISHED_STATES:
                return found
            time.sleep(0.01)
        raise AssertionError(name)

    def until(self, claim: Callable[[IngestJob], bool]) -> IngestJob:
        for _ in range(500):
            if claim(self.state()):
                return self.state()
            time.sleep(0.01)
        raise AssertionError(self.state())


@pytest.fixture
def book(tmp_path: Path) -> Book:
    late = [0.0]
    found = SqliteIngestJobQueue(
        tmp_path / "store.db.server", now=lambda: "now", clock=lambda: time.time() + late[0]
    )
    found.add(ASKED)
    return Book(found, late)


@pytest.fixture
def runners() -> Iterator[list[JobRunner]]:
    started: list[JobRunner] = []
    yield started
    for runner in started:
        runner.stop(0)


def begin(
    book: Book,
    runners: list[JobRunner],
    ingest_source: Callable[[IngestJob, ReportProgress], object],
    owner: str = "a",
    *,
    lease: float = 30.0,
    beat: float = 0.05,
    longest: float = 600.0,
) -> JobRunner:
    runner = JobRunner(
        book.ingestions,
        ingest_source,
        owner=owner,
        lease=lease,
        longest=longest,
        pause=0.02,
        beat=beat,
    )
    runners.append(runner)
    runner.start()
    return runner


def test_what_was_asked_for_is_done(book: Book, runners: list[JobRunner]) -> None:
    begin(book, runners, lambda asked, _: {"took": asked.request.path})
    found = book.until(lambda one: one.state == "succeeded")
    assert json.loads(found.result) == {"took": "notes"}


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (BadInput("no such ref"), "no such ref"),
        (ModelError("http://inside:1/v1 is down"), "a model's server did not answer as it should"),
        (ValueError("inside"), "something went wrong; the server's log tells more under this id"),
    ],
    ids=["ours", "a model's", "unforeseen"],
)
def test_what_fails_is_reported_with_a_message(
    book: Book, runners: list[JobRunner], error: Exception, words: str
) -> None:
    def fail(_: IngestJob, __: ReportProgress) -> object:
        raise error

    begin(book, runners, fail)
    assert book.until(lambda one: one.state == "failed").error == words


@pytest.mark.requirement(57)
def test_progress_is_reported_while_it_works(book: Book, runners: list[JobRunner]) -> None:
    go_on = threading.Event()

    def work(_: IngestJob, progress: ReportProgress) -> object:
        progress(Progress(READING, 3, 9, 27, 400, 1200))
        assert go_on.wait(60)
        return {}

    begin(book, runners, work)
    found = book.until(lambda one: one.progress != "")
    assert json.loads(as_json(status_of(found)))["progress"] == {
        "phase": "reading",
        "done": 3,
        "total": 9,
        "chunks": 27,
        "size": 400,
        "total_size": 1200,
    }
    go_on.set()
    book.until(lambda one: one.state == "succeeded")


def test_a_lease_is_renewed_while_it_works(
    book: Book, runners: list[JobRunner], monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that nobody else begins it, however long it takes."""
    begun, renewed = list[str](), threading.Semaphore(0)
    real = SqliteIngestJobQueue.renew

    def renew(self: SqliteIngestJobQueue, *message: Any) -> bool:
        found = real(self, *message)
        renewed.release()
        return found

    def work(_: IngestJob, __: ReportProgress) -> object:
        begun.append("begun")
        for _beat in range(10):
            assert renewed.acquire(timeout=60)
            book.late[0] += 20
        return {}

    monkeypatch.setattr(SqliteIngestJobQueue, "renew", renew)
    for owner in ("a", "b"):
        begin(book, runners, work, owner, lease=30, beat=0.02)
    book.until(lambda one: one.state == "succeeded")
    assert begun == ["begun"]


def test_whose_server_died_is_taken_up_by_another(book: Book, runners: list[JobRunner]) -> None:
    assert book.ingestions.claim("dead", 60) is not None
    begin(book, runners, lambda asked, _: {"attempt": asked.attempts})
    time.sleep(0.1)
    assert book.state().state == "running"
    book.late[0] += 90
    found = book.until(lambda one: one.state == "succeeded")
    assert json.loads(found.result) == {"attempt": 2}


def test_what_kills_every_server_is_given_up(book: Book, runners: list[JobRunner]) -> None:
    for number in range(MOST_ATTEMPTS):
        assert book.ingestions.claim(f"dead-{number}", 60) is not None
        book.late[0] += 90
    begin(book, runners, lambda *_: pytest.fail("begun once more"))
    found = book.until(lambda one: one.state == "failed")
    assert f"begun {MOST_ATTEMPTS} times" in found.error


def test_who_lost_the_lease_stops_and_changes_nothing(book: Book, runners: list[JobRunner]) -> None:
    begun, stopped = threading.Event(), threading.Event()

    def work(_: IngestJob, progress: ReportProgress) -> object:
        begun.set()
        try:
            while True:
                progress(Progress("embed", 1, 2))
                time.sleep(0.01)
        finally:
            stopped.set()

    runner = begin(book, runners, work, "slow")
    assert begun.wait(60)
    runner.stop_claiming()
    book.late[0] += 40
    assert book.ingestions.claim("other", 60) is not None
    assert stopped.wait(60)
    assert book.state().state == "running"
    assert book.ingestions.finish("one", "other", result="{}")


def test_a_server_that_ends_puts_back_what_it_cannot_finish(
    book: Book, runners: list[JobRunner]
) -> None:
    """Without counting the attempt."""
    begun = threading.Event()

    def work(_: IngestJob, progress: ReportProgress) -> object:
        begun.set()
        while True:
            progress(Progress("embed", 1, 2))
            time.sleep(0.01)

    runner = begin(book, runners, work)
    assert begun.wait(60)
    runner.stop(0.05)
    assert (book.state().state, book.state().attempts) == ("queued", 0)
    begin(book, runners, lambda *_: {}, "next")
    book.until(lambda one: one.state == "succeeded")


def test_a_server_that_ends_finishes_what_it_can(book: Book, runners: list[JobRunner]) -> None:
    begun = threading.Event()

    def work(_: IngestJob, __: ReportProgress) -> object:
        begun.set()
        time.sleep(0.2)
        return {}

    runner = begin(book, runners, work)
    assert begun.wait(60)
    runner.stop(5)
    assert book.state().state == "succeeded"


def test_a_step_that_hears_nothing_is_put_back_all_the_same(
    book: Book, runners: list[JobRunner], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("docgraph.interfaces.http.jobs.job_runner.GRACE", 0.05)
    begun, go_on = threading.Event(), threading.Event()

    def work(_: IngestJob, __: ReportProgress) -> object:
        begun.set()
        assert go_on.wait(60)
        return {"too": "late"}

    runner = begin(book, runners, work)
    assert begun.wait(60)
    runner.stop(0.01)
    assert (book.state().state, book.state().attempts) == ("queued", 1)  # so that it cannot go on
    go_on.set()
    runner.stop(5)
    assert book.state().state == "queued"  # what it does afterwards changes nothing


def test_what_never_stops_is_tried_so_often_and_then_given_up(
    book: Book, runners: list[JobRunner], monkeypatch: pytest.MonkeyPatch
) -> None:
    """However orderly the servers end."""
    monkeypatch.setattr("docgraph.interfaces.http.jobs.job_runner.GRACE", 0.05)
    begun, go_on = threading.Semaphore(0), threading.Event()

    def work(_: IngestJob, __: ReportProgress) -> object:
        begun.release()
        assert go_on.wait(60)
        return {}

    for number in range(MOST_ATTEMPTS):
        runner = begin(book, runners, work, f"server-{number}")
        assert begun.acquire(timeout=60)
        runner.stop(0.01)
    begin(book, runners, lambda *_: pytest.fail("begun once more"), "last")
    found = book.until(lambda one: one.state == "failed")
    assert f"begun {MOST_ATTEMPTS} times" in found.error
    go_on.set()


def test_what_takes_too_long_is_cancelled_and_fails_with_a_message(
    book: Book, runners: list[JobRunner]
) -> None:
    called = threading.Event()

    def work(_: IngestJob, __: ReportProgress) -> object:
        with on_cancel(called.set):
            assert called.wait(60)
            raise OSError("the child was killed")

    begin(book, runners, work, longest=0.2)
    found = book.until(lambda one: one.state == "failed")
    assert found.error == "given up: it took longer than 0.2 seconds"
    assert called.is_set()


def test_whatever_it_breaks_off_with_its_time_is_why(book: Book, runners: list[JobRunner]) -> None:
    def work(_: IngestJob, __: ReportProgress) -> object:
        time.sleep(0.5)
        raise BadInput("git ended with exit code -9")

    begin(book, runners, work, longest=0.1)
    found = book.until(lambda one: one.state == "failed")
    assert found.error == "given up: it took longer than 0.1 seconds"


def test_work_that_cannot_be_stopped_blocks_nobody(
    book: Book, runners: list[JobRunner], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its thread is left behind, and what that does afterwards changes nothing."""
    monkeypatch.setattr("docgraph.interfaces.http.jobs.job_runner.GRACE", 0.05)
    go_on, ended = threading.Event(), threading.Event()

    def work(asked: IngestJob, __: ReportProgress) -> object:
        if asked.id == "one":
            assert go_on.wait(60)
            ended.set()
        return {"took": asked.id}

    book.ingestions.add(replace(ASKED, id="two", requester=Person("bob", "local")))
    begin(book, runners, work, longest=0.1)
    found = book.until(lambda one: one.state == "failed")
    assert found.error == "given up: it took longer than 0.1 seconds"
    two = book.until_ended("two")
    assert (two.state, json.loads(two.result)) == ("succeeded", {"took": "two"})
    go_on.set()
    assert ended.wait(60)
    time.sleep(0.1)
    assert book.state() == found


def test_who_lost_the_lease_and_does_not_stop_blocks_nobody(
    book: Book, runners: list[JobRunner], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does it speak for what the same server began anew."""
    monkeypatch.setattr("docgraph.interfaces.http.jobs.job_runner.GRACE", 0.05)
    go_on, late = threading.Event(), threading.Event()

    def work(asked: IngestJob, __: ReportProgress) -> object:
        if asked.attempts == 1:
            assert go_on.wait(60)
            return {"attempt": 1}
        go_on.set()
        assert late.wait(60)
        return {"attempt": asked.attempts}

    begin(book, runners, work)
    book.until(lambda one: one.state == "running")
    book.late[0] += 90
    assert go_on.wait(60)
    time.sleep(0.2)
    assert book.state().state == "running"
    late.set()
    found = book.until(lambda one: one.state == "succeeded")
    assert json.loads(found.result) == {"attempt": 2}


def test_a_book_that_cannot_be_read_is_tried_again(
    book: Book, runners: list[JobRunner], monkeypatch: pytest.MonkeyPatch
) -> None:
    real, fails = SqliteIngestJobQueue.claim, iter([1, 2])

    def claim(self: SqliteIngestJobQueue, owner: str, lease: float) -> IngestJob | None:
        if next(fails, None):
            raise OSError("not now")
        return real(self, owner, lease)

    monkeypatch.setattr(SqliteIngestJobQueue, "claim", claim)
    begin(book, runners, lambda *_: {})
    book.until(lambda one: one.state == "succeeded")
