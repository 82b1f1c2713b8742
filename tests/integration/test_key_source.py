"""Where an issuer's keys are read: over real HTTP on loopback, and from a file."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from docgraph.adapters.jwt.jwks import LARGEST, JwksFile, JwksUrl, KeySet
from docgraph.model.errors import NotAuthenticated
from tests.support.signed_tokens import jwk, jwks

Answer = Callable[[BaseHTTPRequestHandler], None]


@contextmanager
def serving(answer: Answer) -> Iterator[tuple[str, list[str]]]:
    """Its address, and the paths that it was asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            answer(self)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/certs?v=1", asked
        finally:
            server.shutdown()
            thread.join()


def says(data: bytes, status: int = 200, **headers: str) -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        with suppress(BrokenPipeError, ConnectionResetError):  # the client has read enough
            handler.wfile.write(data)

    return answer


def test_keys_are_fetched_from_an_address() -> None:
    with serving(says(jwks(jwk("rsa")))) as (url, asked):
        keys = KeySet(JwksUrl(url), clock=lambda: 0.0)
        assert keys.key("rsa", "RS256").id == "rsa"
        assert keys.key("rsa", "RS256").id == "rsa"
    assert asked == ["/certs?v=1"]


def test_nobody_is_followed_elsewhere() -> None:
    with (
        serving(says(jwks(jwk("rsa")))) as (elsewhere, asked),
        serving(says(b"", 302, Location=elsewhere)) as (url, _),
        pytest.raises(NotAuthenticated, match="answered 302, not with keys"),
    ):
        JwksUrl(url).read()
    assert asked == []


@pytest.mark.parametrize("status", [204, 401, 404, 500])
def test_what_is_no_answer_holds_no_keys(status: int) -> None:
    with (
        serving(says(jwks(jwk("rsa")), status)) as (url, _),
        pytest.raises(NotAuthenticated, match=f"answered {status}"),
    ):
        JwksUrl(url).read()


def test_an_answer_without_end_is_given_up() -> None:
    def for_ever(handler: BaseHTTPRequestHandler) -> None:
        says(b"")(handler)
        with suppress(BrokenPipeError, ConnectionResetError):
            while True:
                handler.wfile.write(b" " * 65_536)

    with (
        serving(for_ever) as (url, _),
        pytest.raises(NotAuthenticated, match=f"more than {LARGEST:,} bytes"),
    ):
        JwksUrl(url).read()


def test_a_server_that_drips_is_given_up() -> None:
    ended = threading.Event()

    def drip(handler: BaseHTTPRequestHandler) -> None:
        says(b"")(handler)
        with suppress(BrokenPipeError, ConnectionResetError):
            while not ended.wait(0.01):
                handler.wfile.write(b" ")

    with serving(drip) as (url, _):
        with pytest.raises(NotAuthenticated, match=r"within 0\.2 seconds"):
            JwksUrl(url, wait=0.2).read()
        ended.set()


def test_a_server_that_drips_its_header_is_given_up() -> None:
    ended = threading.Event()

    def drip(handler: BaseHTTPRequestHandler) -> None:
        with suppress(BrokenPipeError, ConnectionResetError):
            handler.wfile.write(b"HTTP/1.0 200 OK\r\nX: ")
            while not ended.wait(0.01):
                handler.wfile.write(b"x")

    with serving(drip) as (url, _):
        with pytest.raises(NotAuthenticated, match=r"within 0\.2 seconds"):
            JwksUrl(url, wait=0.2).read()
        ended.set()


def test_a_server_that_is_silent_is_given_up() -> None:
    ended = threading.Event()

    def silent(_: BaseHTTPRequestHandler) -> None:
        ended.wait(10)

    with serving(silent) as (url, _):
        with pytest.raises(NotAuthenticated, match=r"within 0\.2 seconds|cannot be reached"):
            JwksUrl(url, wait=0.2).read()
        ended.set()


def test_a_server_that_is_not_there_is_reported() -> None:
    with serving(says(b"")) as (url, _):
        pass
    with pytest.raises(NotAuthenticated, match="cannot be reached"):
        JwksUrl(url).read()


def test_keys_are_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    with pytest.raises(NotAuthenticated, match="cannot be read: No such file"):
        JwksFile(path).read()
    path.write_bytes(jwks(jwk("rsa")))
    assert KeySet(JwksFile(path), clock=lambda: 0.0).key("rsa", "RS256").id == "rsa"
    path.write_bytes(b" " * (LARGEST + 1))
    with pytest.raises(NotAuthenticated, match="more than"):
        JwksFile(path).read()
