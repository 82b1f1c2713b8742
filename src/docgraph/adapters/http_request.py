"""One HTTP request on a connection of its own, which another thread can abort."""

import socket
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import httpcore2

DEFAULT_PORTS = {"http": 80, "https": 443}
FAILURES = (httpcore2.NetworkError, httpcore2.ProtocolError, OSError, UnicodeError)


class AbortableConnection(httpcore2.SyncBackend):
    """The connection of one request: aborting it affects no other."""

    def __init__(self) -> None:
        self._socket: socket.socket | None = None
        self._aborted = False

    def connect_tcp(self, *args: Any, **options: Any) -> httpcore2.NetworkStream:
        stream = super().connect_tcp(*args, **options)
        # A second descriptor of the same connection: TLS takes the first one over.
        self._socket = stream.get_extra_info("socket").dup()
        if self._aborted:
            self.abort()
        return stream

    def abort(self) -> None:
        """Wakes the thread that waits for the server; while it connects, as soon as it has."""
        self._aborted = True
        if self._socket is not None:
            with suppress(OSError):  # the server closed it first
                self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()


@contextmanager
def open_response(
    connection: AbortableConnection,
    method: str,
    url: str,
    headers: Mapping[str, str],
    content: bytes | None = None,
    *,
    connect: float,
    timeout: float,
) -> Iterator[httpcore2.Response]:
    """A response with its body unread. `connect` limits connecting, `timeout` every other wait.

    No redirect is followed, nothing is decompressed, no proxy or environment variable is used.
    """
    target = _parse_url(url)
    sent = [("Host", _host_header(target)), *headers.items(), ("Connection", "close")]
    timeouts = {"connect": connect, "read": timeout, "write": timeout}
    tls = _tls_context() if target.scheme == b"https" else None
    try:
        with (
            httpcore2.HTTPConnection(target.origin, tls, network_backend=connection) as http,
            http.stream(
                method, target, headers=sent, content=content, extensions={"timeout": timeouts}
            ) as response,
        ):
            yield response
    finally:
        connection.close()


def failure_reason(error: BaseException) -> str:
    """The operating system's message if there is one, such as `Connection refused`."""
    system = error.__cause__ if isinstance(error.__cause__, OSError) else error
    return getattr(system, "strerror", None) or str(error) or type(error).__name__


def _parse_url(url: str) -> httpcore2.URL:
    """A host that is not ASCII is sent as IDNA; UnicodeError if that is impossible."""
    parts = urlsplit(url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return httpcore2.URL(
        scheme=parts.scheme.encode("ascii"),
        host=(parts.hostname or "").encode("idna"),
        port=parts.port or DEFAULT_PORTS[parts.scheme],
        target=target.encode("ascii"),
    )


def _host_header(url: httpcore2.URL) -> str:
    host = url.host.decode("ascii")
    host = f"[{host}]" if ":" in host else host
    default = DEFAULT_PORTS[url.scheme.decode("ascii")]
    return host if url.port == default else f"{host}:{url.port}"


@cache
def _tls_context() -> ssl.SSLContext:
    return ssl.create_default_context()
