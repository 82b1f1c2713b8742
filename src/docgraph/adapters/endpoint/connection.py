"""Asks one server by HTTP: bounded waits and retries, no redirects, no key in an error."""

import http.client
import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from urllib.parse import urlsplit

from docgraph.adapters.endpoint.address import address, api_key
from docgraph.adapters.endpoint.refusal import Refused, words_of
from docgraph.adapters.endpoint.reply import Interrupted, Reply
from docgraph.adapters.endpoint.retry_after import wait
from docgraph.model.errors import ModelError
from docgraph.ports.waiting import called_back, still_wanted

BUSY = (429, 500, 502, 503, 504)
LONGEST_CONNECT = 10.0
LONGEST_ANSWER = 1800.0  # a small machine says a few words a second
LARGEST_REFUSAL = 64 * 1024
CONNECTIONS = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}


class Connection:
    """`base` such as http://localhost:11434/v1; a key belongs in `key`, not in the address.

    `timeout` is the longest silence, `patience` the longest answer, both in seconds.
    """

    def __init__(
        self,
        base: str,
        *,
        key: str | None,
        timeout: float,
        retries: int,
        sleep: Callable[[float], None],
        patience: float = LONGEST_ANSWER,
    ) -> None:
        self.base = address(base)
        self._headers = {"Content-Type": "application/json", "Connection": "close"}
        self._key = api_key(key)
        if self._key:
            self._headers["Authorization"] = f"Bearer {self._key}"
        self._timeout = timeout
        self._patience = patience
        self._retries = retries
        self._sleep = sleep

    @contextmanager
    def answer(self, path: str, body: object, accept: str) -> Iterator[Reply]:
        """An answer of 200, to be read; a busy server is asked again, another refusal raised."""
        data = json.dumps(body).encode()
        for attempt in range(self._retries + 1):
            still_wanted()
            with self._asked(path, data, accept) as reply:
                if reply.status == http.HTTPStatus.OK:
                    yield reply
                    return
                refused = self._refused(path, reply, attempt + 1)
            if reply.status not in BUSY or attempt == self._retries:
                raise refused
            self._sleep(wait(reply.retry_after, attempt, time.time()))

    def hidden(self, text: str) -> str:
        """Without the key, also as JSON would spell it."""
        if not self._key:
            return text
        return text.replace(self._key, "***").replace(json.dumps(self._key)[1:-1], "***")

    def in_words(self, said: str) -> str:
        return words_of(said, self.hidden)

    @contextmanager
    def _asked(self, path: str, data: bytes, accept: str) -> Iterator[Reply]:
        parts = urlsplit(self.base)
        connect = min(LONGEST_CONNECT, self._timeout)
        connection = CONNECTIONS[parts.scheme](parts.netloc, timeout=connect)
        try:
            with self._told(path, f"no connection within {connect:g} seconds"):
                connection.connect()
            with called_back(partial(_hang_up, connection.sock)):
                yield from self._replied(connection, path, data, accept)
        finally:
            connection.close()

    def _replied(
        self, connection: http.client.HTTPConnection, path: str, data: bytes, accept: str
    ) -> Iterator[Reply]:
        connection.sock.settimeout(self._timeout)
        until = time.monotonic() + self._patience
        with self._told(path, f"no answer within {self._timeout:g} seconds"):
            headers = {**self._headers, "Accept": accept}
            connection.request("POST", urlsplit(self.base).path + path, data, headers)
            response = connection.getresponse()
        with response:
            yield Reply(response, timeout=self._timeout, until=until, patience=self._patience)

    @contextmanager
    def _told(self, path: str, too_late: str) -> Iterator[None]:
        try:
            yield
        except TimeoutError as error:
            raise ModelError(f"{self.base}{path}: {too_late}") from error
        except (OSError, UnicodeError, http.client.HTTPException) as error:
            reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            message = f"cannot be reached: {self.hidden(reason)}"
            raise ModelError(f"{self.base}{path}: {message}") from error

    def _refused(self, path: str, reply: Reply, times: int) -> Refused:
        try:
            said = reply.start(LARGEST_REFUSAL).decode("utf-8", "replace")
        except Interrupted as error:
            said = str(error)
        often = f" {times} times" if reply.status in BUSY and times > 1 else ""
        message = f"{self.base}{path}: answered {reply.status}{often}: {self.in_words(said)}"
        return Refused(message, reply.status, self.hidden(said))


def _hang_up(line: socket.socket) -> None:
    """Whoever reads from it wakes up."""
    with suppress(OSError):  # the other side was quicker
        line.shutdown(socket.SHUT_RDWR)
