"""An endpoint's address and key: one spelling for one server, and no key where all can read it."""

import http.client
import json
import re
import socket
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import partial
from urllib.parse import urlsplit

from docgraph.model.errors import ModelError
from docgraph.ports.cancellation import check_cancelled, on_cancel

PORTS = {"http": 80, "https": 443}


def address(base: str) -> str:
    """Lower-case scheme and host, no slash at the end: one server has one spelling."""
    try:
        parts = urlsplit(base.strip())
        port = parts.port
    except ValueError:
        raise ModelError("the endpoint is not an address such as http://host:1234/v1") from None
    if parts.scheme not in PORTS or not parts.hostname or parts.query or parts.fragment:
        raise ModelError("the endpoint is not an address such as http://host:1234/v1")
    if parts.username is not None or parts.password is not None:
        raise ModelError("the endpoint's address holds a name or password; use the API key")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    place = host if port in (None, PORTS[parts.scheme]) else f"{host}:{port}"
    return f"{parts.scheme}://{place}{parts.path.rstrip('/')}"


def api_key(given: str | None) -> str:
    key = (given or "").strip()
    if not (key.isascii() and key.isprintable()):
        raise ModelError("the API key holds characters that no key has")
    return key


# A server's answer while it is read: block by block, with a limit to every wait.


BLOCK = 64 * 1024


class Interrupted(ModelError):
    """The answer stopped in the middle; the message says how, and not where."""


class Dropped(Interrupted):
    """The server closed the connection, or ended without a word."""


class Reply:
    """`timeout` is the longest silence, `until` the moment at which it must have ended."""

    def __init__(
        self, response: http.client.HTTPResponse, *, timeout: float, until: float, patience: float
    ) -> None:
        self.status = response.status
        self.retry_after = response.getheader("Retry-After", "")
        self._response = response
        self._timeout = timeout
        self._until = until
        self._patience = patience

    def blocks(self) -> Iterator[bytes]:
        """As they arrive, none empty; what a caller does between them is not watched."""
        left = self._response.length
        while left != 0:
            block = self._next(BLOCK if left is None else min(BLOCK, left))
            if not block and left:
                raise Dropped("the connection was closed")
            if not block:
                return
            if left is not None:
                left -= len(block)
            yield block

    def start(self, most: int) -> bytes:
        """At most so many bytes, and the rest unread."""
        taken = bytearray()
        for block in self.blocks():
            taken += block
            if len(taken) >= most:
                break
        return bytes(taken[:most])

    def _next(self, most: int) -> bytes:
        if time.monotonic() > self._until:
            raise Interrupted(f"it did not end within {self._patience:g} seconds")
        try:
            return self._response.read1(most)
        except TimeoutError as error:
            raise Interrupted(f"nothing more came within {self._timeout:g} seconds") from error
        except (OSError, http.client.HTTPException) as error:
            raise Dropped("the connection broke off") from error


# A server's refusal, in words: what it says of itself, short, and out of its JSON.


LONGEST_WORDS = 300


class Refused(ModelError):
    """`said` is the whole of what the server says, without the key."""

    def __init__(self, message: str, status: int, said: str) -> None:
        super().__init__(message)
        self.status = status
        self.said = said


def words_of(said: str, hidden: Callable[[str], str]) -> str:
    """The message inside, where there is one; else everything, in one line.

    What must not show is `hidden` once it is decoded: JSON has many spellings of one word.
    """
    try:
        found = message_in(json.loads(said))
    except (ValueError, RecursionError):
        found = None
    return " ".join(hidden(found or said).split())[:LONGEST_WORDS]


def message_in(answer: object) -> str | None:
    """{"error": {"message": …}}, {"error": …}, {"message": …} or {"detail": …}."""
    if isinstance(answer, str):
        return answer or None
    if not isinstance(answer, dict):
        return None
    inner = (message_in(answer.get(name)) for name in ("error", "message", "detail"))
    return next((found for found in inner if found), None)


# How long to wait before a busy server is asked again.


LONGEST_WAIT = 30.0


def wait(retry_after: str, attempt: int, now: float) -> float:
    """What the server asks for, else twice as long as the last time; never past the limit.

    It asks in seconds or names a moment; `now` is in seconds since 1970.
    """
    asked = _asked(retry_after.strip(), now)
    return min(0.5 * 2**attempt if asked is None else asked, LONGEST_WAIT)


def _asked(retry_after: str, now: float) -> float | None:
    if retry_after.isdecimal():
        return float(retry_after)
    try:
        return max(parsedate_to_datetime(retry_after).timestamp() - now, 0.0)
    except (ValueError, OverflowError):
        return None


# Asks one server by HTTP: bounded waits and retries, no redirects, no key in an error.


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
            check_cancelled()
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
            with on_cancel(partial(_hang_up, connection.sock)):
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


# Posts JSON to one server and reads JSON.


LARGEST_ANSWER = 256 * 1024 * 1024


class JsonEndpoint:
    """`base` such as http://localhost:11434/v1; a key belongs in `api_key`, not in the address."""

    def __init__(
        self,
        base: str,
        *,
        api_key: str | None = None,
        timeout: float = 60.0,
        retries: int = 4,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._connection = Connection(
            base, key=api_key, timeout=timeout, retries=retries, sleep=sleep
        )

    @property
    def base(self) -> str:
        return self._connection.base

    def post(self, path: str, body: object) -> object:
        try:
            with self._connection.answer(path, body, "application/json") as reply:
                data = reply.start(LARGEST_ANSWER + 1)
        except Interrupted as error:
            raise ModelError(f"{self.base}{path}: half an answer: {error}") from error
        if len(data) > LARGEST_ANSWER:
            raise ModelError(f"{self.base}{path}: the answer has more than {LARGEST_ANSWER} bytes")
        try:
            return json.loads(data)
        except (ValueError, RecursionError) as error:
            raise ModelError(f"{self.base}{path}: the answer is not JSON: {error}") from error


# Server-sent events: what bytes mean, however they are cut into blocks.


LARGEST_LINE = 1024 * 1024
LINE_END = re.compile(rb"\r\n|\r|\n")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Garbled(ModelError):
    """What came is not what was agreed; the message says what, and not from whom."""


@dataclass(frozen=True, slots=True)
class Event:
    kind: str
    data: str


def events(blocks: Iterable[bytes]) -> Iterator[Event]:
    """Each as soon as its last byte is there; the size of an event is the caller's to limit."""
    kind, data = "message", list[str]()
    for line in _lines(blocks):
        if not line:
            if data:
                yield Event(kind, "\n".join(data))
            kind, data = "message", []
        name, value = _field(line)
        match name:
            case "data":
                data.append(value)
            case "event":
                kind = value
            case "error":  # llama.cpp's own word for an event of this kind
                kind, data = "error", [*data, value]
            case _:
                pass


def _lines(blocks: Iterable[bytes]) -> Iterator[str]:
    """Whole lines only, without their ends."""
    held, returned, first = bytearray(), False, True
    for given in filter(None, blocks):  # an empty block says nothing of what stood before it
        block = given.removeprefix(b"\n") if returned else given  # CR and LF in two blocks
        returned = block.endswith(b"\r")
        *whole, rest = LINE_END.split(block)
        for part in whole:
            line = bytes(held + part)
            held.clear()
            yield _text(line.removeprefix(BYTE_ORDER_MARK) if first else line)
            first = False
        held += rest
        if len(held) > LARGEST_LINE:
            raise Garbled(f"a line of the stream has more than {LARGEST_LINE} bytes")


def _text(line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Garbled("the stream is not UTF-8") from error


def _field(line: str) -> tuple[str, str]:
    """One space after the colon is not the value's; a comment has no name."""
    name, _, value = line.partition(":")
    return name, value.removeprefix(" ")
