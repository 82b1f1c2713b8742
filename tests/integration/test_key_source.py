"""Where an issuer's keys are read: over real HTTP on loopback, and from a file."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from docgraph.adapters.jwt.jwks import MAX_BYTES, JwksFile, JwksUrl, KeySet
from docgraph.model.errors import NotAuthenticated
from tests.support.signed_tokens import jwk, jwks

Responder = Callable[[BaseHTTPRequestHandler], None]


@contextmanager
def serving(respond: Responder) -> Iterator[tuple[str, list[str]]]:
    """Its URL, and the paths that were requested."""
    requested: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requested.append(self.path)
            respond(self)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/certs?v=1", requested
        finally:
            server.shutdown()
            thread.join()


def respond_with(data: bytes, status: int = 200, **headers: str) -> Responder:
    def respond(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        with suppress(
            BrokenPipeError, ConnectionResetError
        ):  # the client has closed the connection
            handler.wfile.write(data)

    return respond


def test_keys_are_fetched_from_a_url() -> None:
    with serving(respond_with(jwks(jwk("rsa")))) as (url, requested):
        keys = KeySet(JwksUrl(url), clock=lambda: 0.0)
        assert keys.key("rsa", "RS256").id == "rsa"
        assert keys.key("rsa", "RS256").id == "rsa"
    assert requested == ["/certs?v=1"]


def test_a_redirect_is_not_followed() -> None:
    with (
        serving(respond_with(jwks(jwk("rsa")))) as (elsewhere, requested),
        serving(respond_with(b"", 302, Location=elsewhere)) as (url, _),
        pytest.raises(NotAuthenticated, match="answered 302, not with keys"),
    ):
        JwksUrl(url).read()
    assert requested == []


@pytest.mark.parametrize("status", [204, 401, 404, 500])
def test_a_status_other_than_200_is_an_error(status: int) -> None:
    with (
        serving(respond_with(jwks(jwk("rsa")), status)) as (url, _),
        pytest.raises(NotAuthenticated, match=f"answered {status}"),
    ):
        JwksUrl(url).read()


def test_a_response_without_end_is_aborted() -> None:
    def send_forever(handler: BaseHTTPRequestHandler) -> None:
        respond_with(b"")(handler)
        with suppress(BrokenPipeError, ConnectionResetError):
            while True:
                handler.wfile.write(b" " * 65_536)

    with (
        serving(send_forever) as (url, _),
        pytest.raises(NotAuthenticated, match=f"more than {MAX_BYTES:,} bytes"),
    ):
        JwksUrl(url).read()


def test_a_body_that_is_sent_too_slowly_is_aborted() -> None:
    ended = threading.Event()

    def drip(handler: BaseHTTPRequestHandler) -> None:
        respond_with(b"")(handler)
        with suppress(BrokenPipeError, ConnectionResetError):
            while not ended.wait(0.01):
                handler.wfile.write(b" ")

    with serving(drip) as (url, _):
        with pytest.raises(NotAuthenticated, match=r"within 0\.2 seconds"):
            JwksUrl(url, max_seconds=0.2).read()
        ended.set()


def test_a_header_that_is_sent_too_slowly_is_aborted() -> None:
    ended = threading.Event()

    def drip(handler: BaseHTTPRequestHandler) -> None:
        with suppress(BrokenPipeError, ConnectionResetError):
            handler.wfile.write(b"HTTP/1.0 200 OK\r\nX: ")
            while not ended.wait(0.01):
                handler.wfile.write(b"x")

    with serving(drip) as (url, _):
        with pytest.raises(NotAuthenticated, match=r"within 0\.2 seconds"):
            JwksUrl(url, max_seconds=0.2).read()
        ended.set()


def test_a_server_that_does_not_respond_is_an_error() -> None:
    ended = threading.Event()

    def silent(_: BaseHTTPRequestHandler) -> None:
        ended.wait(60)

    with serving(silent) as (url, _):
        with pytest.raises(NotAuthenticated, match=r"within 0\.2 seconds|cannot be reached"):
            JwksUrl(url, max_seconds=0.2).read()
        ended.set()


def test_a_server_that_cannot_be_reached_is_an_error() -> None:
    with serving(respond_with(b"")) as (url, _):
        pass
    with pytest.raises(NotAuthenticated, match="cannot be reached"):
        JwksUrl(url).read()


def test_keys_are_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    with pytest.raises(NotAuthenticated, match="cannot be read: No such file"):
        JwksFile(path).read()
    path.write_bytes(jwks(jwk("rsa")))
    assert KeySet(JwksFile(path), clock=lambda: 0.0).key("rsa", "RS256").id == "rsa"
    path.write_bytes(b" " * (MAX_BYTES + 1))
    with pytest.raises(NotAuthenticated, match="more than"):
        JwksFile(path).read()
