"""The transport: a client that sends nothing, half a request or too much delays no other."""

import resource
import select
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import httpx
import pytest

from docgraph.interfaces.server.connection_limits import max_connections
from tests.support.http_server import embeddings, run_in, settings_file
from tests.support.scripted_server import serve_script

LONGEST = 60.0  # seconds, for what should come soon
HALF = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Half: "
SERVERS = {"serve": ["serve"], "mcp": ["mcp", "--http"]}


@dataclass(frozen=True, slots=True)
class Listening:
    port: int
    log: Callable[[], str]

    def connected(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=LONGEST)

    def said(self, words: bytes) -> bytes:
        """All that is answered until the server hangs up."""
        with self.connected() as line:
            line.sendall(words)
            return b"".join(iter(lambda: line.recv(65536), b""))

    def answers(self) -> bool:
        """Any address will do: that there is none there is an answer, too."""
        found = httpx.get(f"http://127.0.0.1:{self.port}/healthz", timeout=LONGEST)
        return found.status_code in {200, 404}

    def message(self, path: str) -> str:
        return httpx.get(f"http://127.0.0.1:{self.port}{path}", timeout=LONGEST).text


@contextmanager
def listening(
    folder: Path, api: str, settings: str, files: int | None = None
) -> Iterator[Listening]:
    """As people start it; `files` is how many it may open."""
    command = [sys.executable, "-m", "docgraph.interfaces.cli.main", *SERVERS[api], "--port", "0"]
    with ExitStack() as stack:
        models = stack.enter_context(serve_script(embeddings))
        settings_file(folder, models.base, f"serve: {{{settings}}}\n")
        (folder / "notes").mkdir()
        (folder / "notes" / "a.md").write_text("# A\n\nalpha\n", encoding="utf-8")
        run_in(folder, "ingest", "notes", "--quiet")
        log = stack.enter_context(tempfile.TemporaryFile("w+"))
        if files is not None:  # not of this process, which has files open of its own
            command = ["sh", "-c", 'ulimit -n "$0" && exec "$@"', str(files), *command]
        process = stack.enter_context(
            subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=log, text=True)
        )
        stack.callback(process.kill)
        assert process.stdout is not None
        line = process.stdout.readline()
        assert "http://127.0.0.1:" in line, read(log)
        yield Listening(int(line.rpartition(":")[2].partition("/")[0]), lambda: read(log))


def read(log: IO[str]) -> str:
    log.seek(0)
    return log.read()


@contextmanager
def opening_at_most(files: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.fixture(scope="module", params=SERVERS)
def quick(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Listening]:
    """One that does not wait long."""
    folder = tmp_path_factory.mktemp("quick")
    with listening(folder, request.param, "head_time: 0.3") as found:
        yield found


@pytest.mark.parametrize("said", [b"", HALF, b"GET"], ids=["nothing", "half", "a word"])
def test_a_client_without_a_request_is_disconnected(quick: Listening, said: bytes) -> None:
    assert quick.said(said) == b""
    assert quick.answers()


def test_saying_it_letter_by_letter_wins_no_time(quick: Listening) -> None:
    with quick.connected() as line:
        line.sendall(HALF)
        assert dripped(line) == b""


def test_nor_does_a_body_that_is_still_to_come_when_all_is_answered(quick: Listening) -> None:
    with quick.connected() as line:
        line.sendall(b"POST /nowhere HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999\r\n\r\n")
        assert dripped(line).startswith(b"HTTP/1.1 404")


def dripped(line: socket.socket) -> bytes:
    """What is received while letter after letter is sent, until the server disconnects."""
    until, pieces = time.monotonic() + LONGEST, b""
    try:
        while time.monotonic() < until:
            line.sendall(b"x")
            if select.select([line], [], [], 0.02)[0]:
                part = line.recv(65536)
                pieces += part
                if not part:
                    return pieces
    except (ConnectionResetError, BrokenPipeError):  # something of ours was still unread
        return pieces
    raise AssertionError("nobody hung up")


@pytest.mark.parametrize("api", SERVERS)
def test_more_connections_than_files_keep_nobody_out_and_fill_no_log(
    tmp_path: Path, api: str
) -> None:
    with listening(tmp_path, api, "head_time: 3600", files=128) as found, ExitStack() as stack:
        for number in range(400):
            line = stack.enter_context(found.connected())
            line.sendall(HALF)
            assert number % 100 or found.answers()
        assert found.answers()
        message = found.log()
    assert "Too many open files" not in message
    assert "more than 64 connections" in message
    assert len(message) < 10_000


def test_half_of_the_files_are_for_others() -> None:
    with opening_at_most(128):
        assert max_connections(1_000) == 64
        assert max_connections(10) == 10


def test_a_client_that_does_not_read_its_answer_is_not_awaited(tmp_path: Path) -> None:
    def in_flight(found: Listening) -> float:
        lines = found.message("/metrics").splitlines()
        return next(
            float(line.split()[1]) for line in lines if "in_flight " in line and line[0] != "#"
        )

    with listening(tmp_path, "serve", "head_time: 0.3") as found, socket.socket() as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        deaf.connect(("127.0.0.1", found.port))
        deaf.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 400)
        until = time.monotonic() + LONGEST
        while in_flight(found) < 2:
            assert time.monotonic() < until
        while in_flight(found) > 1:
            assert time.monotonic() < until
            time.sleep(0.05)


def test_a_request_that_says_twice_how_long_it_is_is_none(quick: Listening) -> None:
    head = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\n"
    smuggled = b"0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    message = quick.said(head + b"Transfer-Encoding: chunked\r\n\r\n" + smuggled)
    assert message.startswith(b"HTTP/1.1 400 ")
    assert message.count(b"HTTP/1.1 ") == 1


@pytest.mark.parametrize("expected", [b"websocket", b"h2c"])
def test_who_wants_another_protocol_is_answered_in_this_one(
    quick: Listening, expected: bytes
) -> None:
    head = b"GET /nowhere HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close, Upgrade\r\n"
    assert quick.said(head + b"Upgrade: " + expected + b"\r\n\r\n").startswith(b"HTTP/1.1 404 ")
    assert "pip install" not in quick.log()
    assert "Unsupported" not in quick.log()
