"""`docgraph serve --workers 2`: two processes are one server."""

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from prometheus_client.multiprocess import MultiProcessCollector

from tests.integration.http.test_serve import (
    ASKED,
    Models,
    ended,
    folder,
    models,
    server,
    until_closed,
)
from tests.support.http_server import COMMAND, ServerProcess, create_key, read_log, run_in, serve_in
from tests.support.scripted_server import Server

__all__ = ["folder", "models", "server"]
WORKERS = ("--workers", "2")
STARTED = re.compile(r"process (\d) of this server has the id (\d+)")
LONGEST = 60.0
QUESTIONS = "docgraph_http_requests_total"


@pytest.fixture
def temporary(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the server makes the folder that its processes share."""
    path = tmp_path_factory.mktemp("temporary")
    monkeypatch.setenv("TMPDIR", str(path))
    return path


@pytest.fixture
def served(folder: Path, server: Server, temporary: Path) -> Iterator[ServerProcess]:
    with serve_in(folder, *WORKERS) as served:
        yield served
        until(lambda: asked_anew(served).get("/readyz").status_code == 200)
        code, said, log = served.end()
        assert (code, said) == (0, "")
        assert "Traceback" not in log
    assert not list(temporary.iterdir())


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + LONGEST
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def asked_anew(served: ServerProcess) -> httpx.Client:
    """Each request has a connection of its own, which may reach either process."""
    limits = httpx.Limits(max_keepalive_connections=0)
    return httpx.Client(base_url=served.url, timeout=LONGEST, limits=limits)


def processes(served: ServerProcess) -> list[int]:
    """All that ever served, by their ids."""
    return [int(found[2]) for found in STARTED.finditer(read_log(served.log))]


def counts(temporary: Path, served: ServerProcess, status: str = "200") -> dict[int, float]:
    """How many requests each process has answered."""
    (shared,) = temporary.glob("docgraph-serve-*")
    files = {process: shared / f"counter_{process}.db" for process in processes(served)}
    written = {process: file for process, file in files.items() if is_written(file)}
    return {process: counted(file, status) for process, file in written.items()}


def is_written(file: Path) -> bool:
    """The file of a process that has just started may be empty."""
    return file.exists() and file.stat().st_size > 0


def counted(file: Path, status: str) -> float:
    found = MultiProcessCollector.merge([str(file)])  # type: ignore[no-untyped-call]
    samples = [sample for metric in found for sample in metric.samples]
    return float(
        sum(
            sample.value
            for sample in samples
            if sample.name == QUESTIONS and sample.labels["status"] == status
        )
    )


def ask_both(
    served: ServerProcess, temporary: Path, ask: Callable[[httpx.Client], httpx.Response]
) -> list[httpx.Response]:
    """Until either process has answered."""
    before, answers = counts(temporary, served), []

    def both_answered() -> bool:
        answers.append(ask(asked_anew(served)))
        assert answers[-1].status_code == 200, answers[-1].text
        now = counts(temporary, served)
        return len(now) > 1 and all(now[one] > before.get(one, 0) for one in now)

    until(both_answered)
    return answers


def has_ended(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_both_processes_answer_and_their_metrics_are_summed(
    served: ServerProcess, temporary: Path
) -> None:
    (shared,) = temporary.iterdir()
    assert shared.stat().st_mode & 0o777 == 0o700
    answers = ask_both(served, temporary, lambda client: client.get("/healthz"))
    assert len(processes(served)) == 2

    def all_counted() -> bool:
        text = served.client.get("/metrics").text
        found = re.search(rf'^{QUESTIONS}{{.*"/healthz".*}} (\S+)$', text, re.MULTILINE)
        return found is not None and float(found[1]) == len(answers)

    until(all_counted)
    assert "docgraph_questions_held 0.0" in served.client.get("/metrics").text


def test_an_ingest_job_runs_once_and_both_processes_answer_from_its_snapshot(
    served: ServerProcess, temporary: Path
) -> None:
    added = asked_anew(served).post("/v1/ingestions", json={"path": "notes"})
    job = ended(served, added.headers["location"])
    assert (job["state"], job["attempts"]) == ("succeeded", 1)
    found = ask_both(served, temporary, lambda client: client.get("/v1/nodes/notes:queue.md"))
    assert len({answer.content for answer in found}) == 1
    seeds = ask_both(served, temporary, lambda client: client.post("/v1/search", json=ASKED))
    assert all(answer.json()["seeds"]["ranked"] for answer in seeds)


def test_a_killed_process_is_started_again_and_no_later_request_fails(
    served: ServerProcess, temporary: Path
) -> None:
    until(lambda: len(processes(served)) == 2)
    killed = processes(served)[1]
    os.kill(killed, signal.SIGKILL)
    client = asked_anew(served)
    assert {client.get("/healthz").status_code for _ in range(30)} == {200}
    until(lambda: len(processes(served)) == 3)
    assert has_ended(killed)
    ask_both_of = processes(served)[2]
    before = counts(temporary, served).get(ask_both_of, 0)

    def new_one_answers() -> bool:
        assert asked_anew(served).get("/healthz").status_code == 200
        return counts(temporary, served)[ask_both_of] > before

    until(new_one_answers)
    text = served.client.get("/metrics").text
    assert "docgraph_http_in_flight 1.0" in text  # this one; nothing is left of the killed one


def test_on_sigterm_all_processes_answer_what_they_were_asked(
    folder: Path, server: Server, models: Models
) -> None:
    with serve_in(folder, *WORKERS) as served, ThreadPoolExecutor(8) as waiting:
        added = served.client.post("/v1/ingestions", json={"path": "notes"})
        assert ended(served, added.headers["location"])["state"] == "succeeded"
        models.held.clear()
        late = [waiting.submit(asked_anew(served).post, "/v1/ask", json=ASKED) for _ in range(8)]
        for _ in late:
            assert models.waits.acquire(timeout=60)
        served.process.send_signal(signal.SIGTERM)
        until_closed(served.url)
        models.held.set()
        assert all("30 seconds [1]" in one.result().text for one in late)
        code, said, log = served.wait()
    assert (code, said) == (0, "")
    assert "Traceback" not in log


def test_processes_drain_and_end_when_the_first_one_is_killed(
    folder: Path, server: Server, temporary: Path
) -> None:
    with serve_in(folder, *WORKERS) as served:
        until(lambda: len(processes(served)) == 2)
        left = processes(served)
        served.process.kill()
        until(lambda: all(map(has_ended, left)))
        until(lambda: not list(temporary.glob("docgraph-serve-*")))


def test_a_revoked_key_is_refused_by_both_processes_at_once(
    folder: Path, server: Server, temporary: Path
) -> None:
    settings = folder / "docgraph.yaml"
    settings.write_text(f"{settings.read_text(encoding='utf-8')}login: {{keys: true}}\n")
    run_in(folder, "ingest", "roots/notes", "--repository", "notes", "--quiet")
    key = {"Authorization": f"Bearer {create_key(folder, 'ann')}"}
    body = {"path": "missing"}
    with serve_in(folder, *WORKERS) as served:
        until(lambda: len(processes(served)) == 2)
        ask_both(served, temporary, lambda client: client.get("/v1/status", headers=key))
        client = asked_anew(served)
        run_in(folder, "principals", "add", "ann")
        answers = [client.post("/v1/ingestions", json=body, headers=key) for _ in range(20)]
        assert {answer.status_code for answer in answers} == {403}
        (known,) = json.loads(run_in(folder, "keys", "list", "--json"))["keys"]
        run_in(folder, "keys", "rm", known["id"])
        answers = [client.get("/v1/status", headers=key) for _ in range(20)]
        assert {answer.status_code for answer in answers} == {401}
        until(lambda: all(counts(temporary, served, "401").values()))


@pytest.mark.parametrize("more", [(), WORKERS])
def test_a_second_server_on_the_port_is_refused(
    served: ServerProcess, folder: Path, more: tuple[str, ...]
) -> None:
    run = refused(folder, "--port", str(served.port), *more)
    assert run.stderr.startswith(f"docgraph: cannot listen on 127.0.0.1, port {served.port}")
    assert run.stderr.count("\n") == 1


def test_a_bad_setting_is_one_line_and_ends_all_processes(folder: Path) -> None:
    (folder / "docgraph.yaml").write_text("serve: {pipelines: {mine: missing.yaml}}\n")
    run = refused(folder, *WORKERS)
    assert run.stderr.startswith("docgraph: no pipeline or file is called 'missing.yaml'")
    assert run.stderr.count("\n") == 1


def refused(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    run = subprocess.run(
        [*COMMAND, *words], cwd=folder, capture_output=True, text=True, check=False, timeout=LONGEST
    )
    assert (run.returncode, run.stdout) == (1, "")
    return run
