"""Requests to one model server: timeouts, retries, no redirects, no key in an error."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from urllib.parse import urlsplit

import httpcore2

from docgraph.adapters.endpoint.request_limiter import RequestLimiter, Slot
from docgraph.adapters.endpoint.retry_delay import retry_delay
from docgraph.adapters.http_request import (
    DEFAULT_PORTS,
    FAILURES,
    AbortableConnection,
    failure_reason,
    open_response,
)
from docgraph.model.errors import ModelError
from docgraph.ports.cancellation import cancellable_sleep, check_cancelled, on_cancel

# An endpoint's address in canonical form, and its key, which must not be in the address.


def normalise_address(base: str) -> str:
    """Lower-case scheme and host, no slash at the end: one server has one address."""
    try:
        parts = urlsplit(base.strip())
        port = parts.port
    except ValueError:
        raise ModelError("the endpoint is not an address such as http://host:1234/v1") from None
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname or parts.query or parts.fragment:
        raise ModelError("the endpoint is not an address such as http://host:1234/v1")
    if parts.username is not None or parts.password is not None:
        raise ModelError("the endpoint's address holds a name or password; use the API key")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    server = host if port in (None, DEFAULT_PORTS[parts.scheme]) else f"{host}:{port}"
    return f"{parts.scheme}://{server}{parts.path.rstrip('/')}"


def check_api_key(key: str | None) -> str:
    key = (key or "").strip()
    if not (key.isascii() and key.isprintable()):
        raise ModelError("the API key holds characters that no key has")
    return key


# A response while its body is read, with a timeout for every wait.


class StreamInterrupted(ModelError):
    """The response stopped in the middle; the caller adds the address to the message."""


class ConnectionDropped(StreamInterrupted):
    """The server closed the connection, or sent nothing."""


class EndpointResponse:
    """`timeout` is the longest silence, `max_seconds` how long the whole may take."""

    def __init__(
        self, response: httpcore2.Response, *, timeout: float, started: float, max_seconds: float
    ) -> None:
        self.status = response.status
        self.headers = {
            name.decode("latin-1").lower(): value.decode("latin-1")
            for name, value in response.headers
        }
        self._has_length = "content-length" in self.headers
        self._body = response.iter_stream()
        self._timeout = timeout
        self._until = started + max_seconds
        self._max_seconds = max_seconds

    def blocks(self) -> Iterator[bytes]:
        """As they arrive, none empty; time that the caller spends between them is not limited."""
        while (block := self._next_block()) is not None:
            if block:
                yield block

    def read(self, limit: int) -> bytes:
        """At most `limit` bytes; the rest is not read."""
        data = bytearray()
        for block in self.blocks():
            data += block
            if len(data) >= limit:
                break
        return bytes(data[:limit])

    def _next_block(self) -> bytes | None:
        if time.monotonic() > self._until:
            raise StreamInterrupted(f"it did not end within {self._max_seconds:g} seconds")
        try:
            return next(self._body, None)
        except httpcore2.TimeoutException as error:
            message = f"nothing more came within {self._timeout:g} seconds"
            raise StreamInterrupted(message) from error
        except FAILURES as error:
            closed = self._has_length and isinstance(error, httpcore2.RemoteProtocolError)
            message = "the connection was closed" if closed else "the connection broke off"
            raise ConnectionDropped(message) from error


# An error response: the server's own message, shortened, from its JSON.


MAX_MESSAGE_LENGTH = 300


class ErrorResponse(ModelError):
    """A status other than 200; `text` is the whole body, without the key."""

    def __init__(self, message: str, status: int, text: str) -> None:
        super().__init__(message)
        self.status = status
        self.text = text


def error_message(text: str, redact: Callable[[str], str]) -> str:
    """The message in the JSON, if there is one; else the whole text, in one line.

    `redact` is applied to the decoded text: JSON can escape any character.
    """
    try:
        message = message_in(json.loads(text))
    except (ValueError, RecursionError):
        message = None
    return " ".join(redact(message or text).split())[:MAX_MESSAGE_LENGTH]


def message_in(answer: object) -> str | None:
    """{"error": {"message": …}}, {"error": …}, {"message": …} or {"detail": …}."""
    if isinstance(answer, str):
        return answer or None
    if not isinstance(answer, dict):
        return None
    inner = (message_in(answer.get(name)) for name in ("error", "message", "detail"))
    return next((message for message in inner if message), None)


OK = 200
RETRIED_STATUSES = (429, 500, 502, 503, 504)
MAX_CONNECT_SECONDS = 10.0
MAX_RESPONSE_SECONDS = 1800.0  # a small machine writes a few words a second
MAX_REFUSAL_BYTES = 64 * 1024
MAX_JSON_BYTES = 256 * 1024 * 1024


class EndpointClient:
    """`base` such as http://localhost:11434/v1; a key belongs in `api_key`, not in the address.

    `timeout` is the longest silence, `max_seconds` the longest response, both in seconds. With a
    `limiter`, a pause that the server asks for applies to every request, not to one alone.
    """

    def __init__(
        self,
        base: str,
        *,
        api_key: str | None = None,
        timeout: float = 60.0,
        retries: int = 4,
        sleep: Callable[[float], None] = cancellable_sleep,
        max_seconds: float = MAX_RESPONSE_SECONDS,
        limiter: RequestLimiter | None = None,
    ) -> None:
        self.base = normalise_address(base)
        self._headers = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
        self._key = check_api_key(api_key)
        if self._key:
            self._headers["Authorization"] = f"Bearer {self._key}"
        self._timeout = timeout
        self._max_seconds = max_seconds
        self._retries = retries
        self._sleep = sleep
        self._limiter = limiter

    @contextmanager
    def post(self, path: str, body: object, accept: str) -> Iterator[EndpointResponse]:
        """A response with status 200; a busy server is tried again, another error is raised."""
        data = json.dumps(body).encode()
        number = self._limiter.next_number() if self._limiter else 0
        for attempt in range(self._retries + 1):
            check_cancelled()
            with self._slot(number) as slot, self._send(path, data, accept) as response:
                delay = retry_delay(response.status, response.headers, attempt, time.time())
                if slot is not None:
                    slot.record(response.status, delay)
                if response.status == OK:
                    yield response
                    return
                refused = self._error_response(path, response, attempt + 1)
            if response.status not in RETRIED_STATUSES or attempt == self._retries:
                raise refused
            if slot is None or not delay.shared:
                self._sleep(delay.seconds)

    def post_json(self, path: str, body: object) -> object:
        """The JSON of the whole response."""
        try:
            with self.post(path, body, "application/json") as response:
                data = response.read(MAX_JSON_BYTES + 1)
        except StreamInterrupted as error:
            raise ModelError(f"{self.base}{path}: half an answer: {error}") from error
        if len(data) > MAX_JSON_BYTES:
            raise ModelError(f"{self.base}{path}: the answer has more than {MAX_JSON_BYTES} bytes")
        try:
            return json.loads(data)
        except (ValueError, RecursionError) as error:
            raise ModelError(f"{self.base}{path}: the answer is not JSON: {error}") from error

    def redact(self, text: str) -> str:
        """Without the key, also in its JSON form."""
        if not self._key:
            return text
        return text.replace(self._key, "***").replace(json.dumps(self._key)[1:-1], "***")

    def error_message(self, text: str) -> str:
        return error_message(text, self.redact)

    def _slot(self, number: int) -> AbstractContextManager[Slot | None]:
        return self._limiter.slot(number) if self._limiter else nullcontext()

    @contextmanager
    def _send(self, path: str, data: bytes, accept: str) -> Iterator[EndpointResponse]:
        connection, started = AbortableConnection(), time.monotonic()
        headers = {**self._headers, "Accept": accept}
        connect, timeout = min(MAX_CONNECT_SECONDS, self._timeout), self._timeout
        with on_cancel(connection.abort), ExitStack() as stack:
            with self._translate_errors(path, connect):
                opened = open_response(
                    connection,
                    "POST",
                    self.base + path,
                    headers,
                    data,
                    connect=connect,
                    timeout=timeout,
                )
                response = stack.enter_context(opened)
            yield EndpointResponse(
                response, timeout=timeout, started=started, max_seconds=self._max_seconds
            )

    @contextmanager
    def _translate_errors(self, path: str, connect: float) -> Iterator[None]:
        try:
            yield
        except httpcore2.ConnectTimeout as error:
            message = f"no connection within {connect:g} seconds"
            raise ModelError(f"{self.base}{path}: {message}") from error
        except httpcore2.TimeoutException as error:
            message = f"no answer within {self._timeout:g} seconds"
            raise ModelError(f"{self.base}{path}: {message}") from error
        except FAILURES as error:
            message = f"cannot be reached: {self.redact(failure_reason(error))}"
            raise ModelError(f"{self.base}{path}: {message}") from error

    def _error_response(self, path: str, response: EndpointResponse, times: int) -> ErrorResponse:
        try:
            text = response.read(MAX_REFUSAL_BYTES).decode("utf-8", "replace")
        except StreamInterrupted as error:
            text = str(error)
        often = f" {times} times" if response.status in RETRIED_STATUSES and times > 1 else ""
        message = f"answered {response.status}{often}: {self.error_message(text)}"
        return ErrorResponse(f"{self.base}{path}: {message}", response.status, self.redact(text))
