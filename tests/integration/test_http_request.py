"""One HTTP request: its headers, and that another thread can abort it at any time."""

import datetime
import ipaddress
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpcore2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from docgraph.adapters import http_request
from docgraph.adapters.http_request import AbortableConnection, open_response

TIMEOUT = 30.0  # seconds; a test that waits so long fails
EMPTY = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

ABORTED = (httpcore2.RemoteProtocolError, httpcore2.NetworkError)

Responder = Callable[[socket.socket], None]


@contextmanager
def serving(respond: Responder, host: str = "127.0.0.1") -> Iterator[int]:
    """The port of a server that accepts one connection."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, 0), family=family) as server:

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                respond(connection)

        thread = threading.Thread(target=serve)
        thread.start()
        yield server.getsockname()[1]
        thread.join()


def get(url: str, connection: AbortableConnection) -> tuple[int, bytes]:
    with open_response(connection, "GET", url, {}, connect=TIMEOUT, timeout=TIMEOUT) as response:
        return response.status, response.read()


@pytest.fixture
def certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    """Of a server at 127.0.0.1, which requests trust."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "test")])
    now = datetime.datetime.now(datetime.UTC)
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    signed = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path / "server.pem"
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + signed.public_bytes(serialization.Encoding.PEM)
    )
    trusted = ssl.create_default_context(cafile=str(path))
    monkeypatch.setattr(http_request, "_tls_context", lambda: trusted)
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(path)
    return server


def test_a_request_has_the_host_header_of_its_server() -> None:
    requests = list[bytes]()

    def respond(connection: socket.socket) -> None:
        requests.append(connection.recv(65_536))
        connection.sendall(EMPTY)

    with serving(respond, "::1") as port:
        assert get(f"http://[::1]:{port}/a?b=c", AbortableConnection()) == (200, b"")
    lines = requests[0].decode().split("\r\n")
    assert lines[0] == "GET /a?b=c HTTP/1.1"
    assert {line.lower() for line in lines[1:] if line} == {
        f"host: [::1]:{port}",
        "connection: close",
    }


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://bücher.example/", "xn--bcher-kva.example"),
        ("https://host:443/", "host"),
        ("https://host:80/", "host:80"),
    ],
)
def test_a_host_header_has_idna_and_no_default_port(url: str, host: str) -> None:
    target = http_request._parse_url(url)  # noqa: SLF001
    assert http_request._host_header(target) == host  # noqa: SLF001


def silent(connection: socket.socket) -> None:
    connection.recv(65_536)
    assert connection.recv(1) == b""  # until the client has closed it


def silent_after_its_headers(connection: socket.socket) -> None:
    connection.recv(65_536)
    connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    assert connection.recv(1) == b""


@pytest.mark.parametrize("tls", [False, True], ids=["http", "https"])
@pytest.mark.parametrize("respond", [silent, silent_after_its_headers])
def test_a_request_is_aborted_while_the_server_sends_nothing(
    respond: Responder, tls: bool, certificate: ssl.SSLContext
) -> None:
    connection = AbortableConnection()

    def abort_then(line: socket.socket) -> None:
        secure = certificate.wrap_socket(line, server_side=True) if tls else line
        with secure:
            threading.Timer(0.05, connection.abort).start()
            respond(secure)

    with (
        serving(abort_then) as port,
        pytest.raises(ABORTED),
    ):
        get(f"{'https' if tls else 'http'}://127.0.0.1:{port}/", connection)


def test_a_request_is_aborted_during_the_tls_handshake(certificate: ssl.SSLContext) -> None:
    connection = AbortableConnection()

    def abort(line: socket.socket) -> None:
        connection.abort()
        silent(line)

    with serving(abort) as port, pytest.raises(ABORTED):
        get(f"https://127.0.0.1:{port}/", connection)


def test_an_abort_before_connecting_takes_effect() -> None:
    connection = AbortableConnection()
    connection.abort()
    with (
        serving(lambda line: line.close()) as port,
        pytest.raises(ABORTED),
    ):
        get(f"http://127.0.0.1:{port}/", connection)


def test_a_certificate_of_another_server_is_refused(certificate: ssl.SSLContext) -> None:
    def respond(line: socket.socket) -> None:
        with pytest.raises(ssl.SSLError):
            certificate.wrap_socket(line, server_side=True).recv(1)

    with serving(respond) as port, pytest.raises(httpcore2.ConnectError, match="certificate"):
        get(f"https://localhost:{port}/", AbortableConnection())
