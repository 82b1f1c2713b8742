"""A small model server over real HTTP on loopback: answers by script, remembers what was asked."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

Body = dict[str, Any]
Answer = tuple[int, object, dict[str, str]]


class Server(ThreadingHTTPServer):
    """Answers by the first of `script` while there is one, then by `answer`."""

    daemon_threads = True

    def __init__(self, answer: Callable[[Body], Answer]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script: list[Answer] = []
        self.answer = answer
        self.asked: list[tuple[str, str | None, Body]] = []

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
        data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@contextmanager
def serving(answer: Callable[[Body], Answer]) -> Iterator[Server]:
    with Server(answer) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
