"""Where an issuer's keys are read: a file, or an address that is asked within bounds."""

import http.client
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from docgraph.model.errors import NotKnown

LARGEST = 256 * 1024
LONGEST_WAIT = 5.0  # seconds, for all of it
_CONNECTIONS = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}


class KeySource(Protocol):
    def read(self) -> bytes:
        """Raises NotKnown where there is nothing to be had."""
        ...


class KeyFile:
    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> bytes:
        try:
            with self._path.open("rb") as file:
                data = file.read(LARGEST + 1)
        except OSError as error:
            raise NotKnown(f"{self._path}: cannot be read: {error.strerror}") from error
        return _small_enough(data, str(self._path))


class KeyAddress:
    """Asked without following anybody elsewhere: a redirect is a refusal."""

    def __init__(self, url: str, wait: float = LONGEST_WAIT) -> None:
        self._url = url
        self._wait = wait

    def read(self) -> bytes:
        parts = urlsplit(self._url)
        query = f"?{parts.query}" if parts.query else ""
        connection = _CONNECTIONS[parts.scheme](parts.netloc, timeout=self._wait)
        try:
            connection.connect()
            with self._no_longer(connection.sock):
                headers = {"Accept": "application/json", "Connection": "close"}
                connection.request("GET", (parts.path or "/") + query, headers=headers)
                response = connection.getresponse()
                if response.status != http.HTTPStatus.OK:
                    raise NotKnown(f"{self._url}: answered {response.status}, not with keys")
                return _small_enough(response.read(LARGEST + 1), self._url)
        except (OSError, UnicodeError, http.client.HTTPException) as error:
            told = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise NotKnown(f"{self._url}: cannot be reached: {told}") from error
        finally:
            connection.close()

    @contextmanager
    def _no_longer(self, line: socket.socket) -> Iterator[None]:
        """A server that drips, byte by byte, does not hold us: we hang up."""
        late = threading.Event()

        def hang_up() -> None:
            late.set()
            with suppress(OSError):  # the other side was quicker
                line.shutdown(socket.SHUT_RDWR)

        watch = threading.Timer(self._wait, hang_up)
        watch.daemon = True
        watch.start()
        try:
            yield
        finally:
            watch.cancel()
            if late.is_set():
                told = f"not all keys came within {self._wait:g} seconds"
                raise NotKnown(f"{self._url}: {told}")


def _small_enough(data: bytes, where: str) -> bytes:
    if len(data) > LARGEST:
        raise NotKnown(f"{where}: a set of keys of more than {LARGEST:,} bytes")
    return data
