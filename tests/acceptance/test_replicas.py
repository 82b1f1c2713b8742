"""Three servers on one Postgres give the same results, also when one of them is killed."""

import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import Thread

import psycopg
import pytest

from docgraph.wiring.settings import Settings
from tests.support.balancer import run_balancer
from tests.support.http_app import key_for
from tests.support.http_clients import Client, ClientRequest, ClientResponse, run_clients
from tests.support.http_server import ServerProcess, run_in, serve_in

SETTINGS = "store: {store}\nlogin: {{keys: true}}\nserve: {{roots: [.], lease: 2}}\n"
RULES = "- {path: '**', readers: everyone}\n- {path: closed/, readers: [board]}\n"
READERS = {"ann": ("staff",), "bea": ("board",)}
QUESTIONS = ("what is on page 3?", "where does page 7 lead?", "page 12", "what is closed?")
REQUESTS = [
    ClientRequest(address, reader, question)
    for question in QUESTIONS
    for reader in READERS
    for address in ("/v1/retrieve", "/v1/plans")
]
PAGES, NEW_PAGES, CLIENTS, TIMEOUT = 20, 80, 4, 90.0


def page(number: int, edition: int = 1) -> str:
    return f"# Page {number}\n\nEdition {edition}. Next is [page](../closed/{number + 1}.md).\n"


def write(folder: Path, numbers: range, edition: int) -> None:
    for number in numbers:
        (folder / ("closed" if number % 3 == 0 else "open") / f"{number}.md").write_text(
            page(number, edition)
        )


@pytest.fixture
def folder(tmp_path: Path, database: str) -> Path:
    for name in ("open", "closed"):
        (tmp_path / "pages" / name).mkdir(parents=True)
    (tmp_path / "pages" / "access.yaml").write_text(RULES)
    write(tmp_path / "pages", range(PAGES), 1)
    (tmp_path / "docgraph.yaml").write_text(SETTINGS.format(store=database))
    return tmp_path


@pytest.fixture
def keys(folder: Path, database: str) -> dict[str, str]:
    run_in(folder, "ingest", "pages", "--repository", "pages", "--quiet")
    known = Settings(store=database)
    return {
        name: key_for(known, name, *groups, rights=("ingest",)).removeprefix("Bearer ")
        for name, groups in READERS.items()
    }


@pytest.fixture
def replicas(folder: Path, keys: dict[str, str]) -> Iterator[list[ServerProcess]]:
    with ExitStack() as stack:
        started = [stack.enter_context(serve_in(folder)) for _ in range(3)]
        yield [one.ready() for one in started]


def find_worker(store: str) -> int:
    """The id of the process that runs the ingest job, as soon as there is one."""
    until = time.monotonic() + TIMEOUT
    with psycopg.connect(store, autocommit=True) as connection:
        while time.monotonic() < until:
            row = connection.execute(
                "SELECT worker FROM docgraph.ingest_jobs WHERE state = 'running'"
            ).fetchone()
            if row is not None:
                return int(str(row[0]).partition("-")[0])
            time.sleep(0.01)
    raise AssertionError("no process runs the job")


def wait_for_job(client: Client, address: str) -> dict[str, object]:
    until = time.monotonic() + TIMEOUT
    while time.monotonic() < until:
        status, body = client.get(address, "bea")
        assert status == 200
        if body["state"] in {"succeeded", "failed"}:
            return dict(body)
        time.sleep(0.1)
    raise AssertionError("the job did not finish")


def responses_of(port: int, keys: dict[str, str]) -> list[ClientResponse]:
    client = Client(port, keys, lasting=False)
    return [client.ask(one) for one in REQUESTS]


def summaries(responses: list[ClientResponse]) -> list[tuple[int, int, str]]:
    return [(one.status, one.snapshot, one.digest) for one in responses]


def test_a_server_that_is_killed_during_an_ingest_loses_nothing(
    folder: Path, database: str, keys: dict[str, str], replicas: list[ServerProcess]
) -> None:
    first, *others = [summaries(responses_of(one.port, keys)) for one in replicas]
    assert others == [first, first]
    before = responses_of(replicas[0].port, keys)
    write(folder / "pages", range(PAGES, PAGES + NEW_PAGES), 2)
    with run_balancer([one.port for one in replicas]) as port:
        responses: list[ClientResponse] = []
        running = [True]
        clients = [Client(port, keys, lasting=False) for _ in range(CLIENTS)]
        requests = Thread(
            target=lambda: responses.extend(
                run_clients(clients, REQUESTS, lambda: running[0], stop_at_break=False)
            )
        )
        requests.start()
        try:
            client = Client(port, keys, lasting=False)
            job = {"path": "pages", "repository": "pages"}
            status, body = client.post("/v1/ingestions", job, "bea")
            assert status == 202, body
            worker = find_worker(database)
            killed = next(one for one in replicas if one.process.pid == worker)
            killed_at = time.monotonic()
            killed.end(signal.SIGKILL)
            ended_at = time.monotonic()
            done = wait_for_job(client, f"/v1/ingestions/{body['id']}")
        finally:
            running[0] = False
            requests.join()
        after = responses_of(port, keys)
    assert (done["state"], done["attempts"]) == ("succeeded", 2)

    expected = {(one.request, one.snapshot): one.digest for one in (*before, *after)}
    answered = [one for one in responses if one.status == 200]
    assert {one.snapshot for one in answered} == {1, 2}
    assert all(expected[one.request, one.snapshot] == one.digest for one in answered)
    broken = [one for one in responses if one.status != 200]
    assert len(broken) <= CLIENTS
    assert all(one.status == 0 for one in broken)
    assert all(one.sent <= ended_at and one.sent + one.seconds >= killed_at for one in broken)

    alive = [one for one in replicas if one is not killed]
    assert [summaries(responses_of(one.port, keys)) for one in alive] == [summaries(after)] * 2
    assert [one.end()[0] for one in alive] == [0, 0]
