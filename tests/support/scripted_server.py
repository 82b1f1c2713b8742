"""A small model server over real HTTP on loopback: answers by script, remembers what was asked."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import Enum, auto
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

Body = dict[str, Any]
Answer = tuple[int, object, dict[str, str]]
# A test that waits for what never comes shall fail, and not hang. Longer than a test waits for its
# client to leave: what is over by then did not wait for this server.
MAX_WAIT_SECONDS = 120.0


class Halt(Enum):
    STALL = auto()  # says no more, and keeps the connection open until the client leaves
    DROP = auto()  # closes the connection in the middle


@dataclass(frozen=True, slots=True)
class Stream:
    """An answer sent part by part: bytes, a pause in seconds, an event to wait for, or a halt."""

    parts: tuple[bytes | float | Event | Halt, ...]
    chunked: bool = True


class Server(ThreadingHTTPServer):
    """Answers by the first of `script` while there is one, then by `answer`."""

    daemon_threads = True

    def __init__(self, answer: Callable[[Body], Answer]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script: list[Answer] = []
        self.answer = answer
        self.asked: list[tuple[str, str | None, Body]] = []
        self.closing = Event()

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, self.headers["Authorization"], body))
        script = self.server.script
        status, answer, headers = script.pop(0) if script else self.server.answer(body)
        with suppress(BrokenPipeError, ConnectionResetError):  # the client has left
            if isinstance(answer, Stream):
                self._stream(status, answer, headers)
                return
            data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self._head(status, {**headers, "Content-Length": str(len(data))})
            self.wfile.write(data)

    def _head(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def _stream(self, status: int, stream: Stream, headers: dict[str, str]) -> None:
        self.close_connection = True
        framing = dict[str, str]()
        if stream.chunked:
            self.protocol_version = "HTTP/1.1"  # 1.0 knows no chunks
            framing = {"Transfer-Encoding": "chunked"}
        self._head(status, {"Content-Type": "text/event-stream", **headers, **framing})
        if all(self._part(part, stream.chunked) for part in stream.parts) and stream.chunked:
            self.wfile.write(b"0\r\n\r\n")

    def _part(self, part: bytes | float | Event | Halt, chunked: bool) -> bool:
        """False when the connection is to be closed as it is."""
        match part:
            case b"":
                pass  # a chunk of nothing would be the last
            case bytes():
                self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part) if chunked else part)
            case Event():
                return part.wait(MAX_WAIT_SECONDS)
            case Halt.STALL:
                self.server.closing.wait(MAX_WAIT_SECONDS)
                return False
            case Halt.DROP:
                return False
            case _:
                return not self.server.closing.wait(part)
        return True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@contextmanager
def serve_script(answer: Callable[[Body], Answer]) -> Iterator[Server]:
    with Server(answer) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.closing.set()
            server.shutdown()
            thread.join()
