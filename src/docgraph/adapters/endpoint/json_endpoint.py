"""Posts JSON to one server: bounded waits and retries, no redirects, no key in an error."""

import http.client
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from docgraph.model.errors import ModelError

BUSY = (429, 500, 502, 503, 504)
LONGEST_WAIT = 30.0
LARGEST_ANSWER = 256 * 1024 * 1024
PORTS = {"http": 80, "https": 443}
CONNECTIONS = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    retry_after: str
    body: bytes


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
        self.base = _address(base)
        self._headers = {"Content-Type": "application/json", "Accept": "application/json"}
        self._key = _key(api_key)
        if self._key:
            self._headers["Authorization"] = f"Bearer {self._key}"
        self._timeout = timeout
        self._retries = retries
        self._sleep = sleep

    def post(self, path: str, body: object) -> object:
        data = json.dumps(body).encode()
        reply = self._once(path, data)
        for attempt in range(self._retries):
            if reply.status not in BUSY:
                break
            self._sleep(_wait(reply.retry_after, attempt))
            reply = self._once(path, data)
        if reply.status != http.HTTPStatus.OK:
            raise ModelError(f"{self.base}{path}: {self._refusal(reply)}")
        try:
            return json.loads(reply.body)
        except ValueError as error:
            raise ModelError(f"{self.base}{path}: the answer is not JSON: {error}") from error

    def _once(self, path: str, data: bytes) -> Reply:
        parts = urlsplit(self.base)
        connection = CONNECTIONS[parts.scheme](parts.netloc, timeout=self._timeout)
        try:
            connection.request("POST", parts.path + path, data, self._headers)
            response = connection.getresponse()
            body = response.read(LARGEST_ANSWER)
            return Reply(response.status, response.getheader("Retry-After", ""), body)
        except TimeoutError as error:
            message = f"no answer within {self._timeout:g} seconds"
            raise ModelError(f"{self.base}{path}: {message}") from error
        except (OSError, UnicodeError, http.client.HTTPException) as error:
            reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise ModelError(f"{self.base}{path}: cannot be reached: {reason}") from error
        finally:
            connection.close()

    def _refusal(self, reply: Reply) -> str:
        said = " ".join(reply.body[:2000].decode("utf-8", "replace").split())[:300]
        hidden = said.replace(self._key, "***") if self._key else said
        times = f" {self._retries + 1} times" if reply.status in BUSY else ""
        return f"answered {reply.status}{times}: {hidden}"


def _address(base: str) -> str:
    """Lower-case scheme and host, no slash at the end: one server has one spelling."""
    try:
        parts = urlsplit(base.strip())
        port = parts.port
    except ValueError:
        raise ModelError("the endpoint is not an address such as http://host:1234/v1") from None
    if parts.scheme not in CONNECTIONS or not parts.hostname or parts.query or parts.fragment:
        raise ModelError("the endpoint is not an address such as http://host:1234/v1")
    if parts.username is not None or parts.password is not None:
        raise ModelError("the endpoint's address holds a name or password; use the API key")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    place = host if port in (None, PORTS[parts.scheme]) else f"{host}:{port}"
    return f"{parts.scheme}://{place}{parts.path.rstrip('/')}"


def _key(given: str | None) -> str:
    key = (given or "").strip()
    if not (key.isascii() and key.isprintable()):
        raise ModelError("the API key holds characters that no key has")
    return key


def _wait(retry_after: str, attempt: int) -> float:
    """What the server asks for, else twice as long as the last time; never past the limit."""
    asked = float(retry_after) if retry_after.strip().isdecimal() else 0.5 * 2**attempt
    return min(asked, LONGEST_WAIT)
