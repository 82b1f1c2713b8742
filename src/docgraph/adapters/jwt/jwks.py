"""An issuer's public keys (JWKS), cached; a flood of unknown key ids causes few requests."""

import json
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, Protocol

import httpcore2
from jwt import PyJWK
from jwt.exceptions import PyJWTError

from docgraph.adapters.http_request import (
    FAILURES,
    AbortableConnection,
    failure_reason,
    open_response,
)
from docgraph.model.errors import NotAuthenticated

# Strict JSON: untrusted input must parse alike everywhere.


def json_object(data: bytes, what: str) -> dict[str, object]:
    """Duplicate names are refused: parsers differ in which one they use."""
    try:
        found = json.loads(
            data.decode("utf-8"), object_pairs_hook=_unique_names, parse_constant=_refuse_constant
        )
    except (ValueError, RecursionError):
        raise NotAuthenticated(f"{what} is not JSON, or names a key twice") from None
    if not isinstance(found, dict):
        raise NotAuthenticated(f"{what} is no JSON object")
    return found


def _unique_names(pairs: Iterable[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(name)
        found[name] = value
    return found


def _refuse_constant(constant: str) -> NoReturn:
    """NaN and Infinity are not JSON."""
    raise ValueError(constant)


# The keys of a set that may verify signatures, each with its algorithms.


MAX_KEYS = 100
MIN_RSA_BITS = 2048
_PUBLIC = {"RSA": ("n", "e"), "EC": ("crv", "x", "y"), "OKP": ("crv", "x")}
_RSA = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512")
_ALGORITHMS = {
    ("RSA", None): _RSA,
    ("EC", "P-256"): ("ES256",),
    ("EC", "P-384"): ("ES384",),
    ("EC", "P-521"): ("ES512",),
    ("OKP", "Ed25519"): ("EdDSA",),
    ("OKP", "Ed448"): ("EdDSA",),
}


@dataclass(frozen=True, slots=True)
class SigningKey:
    id: str | None
    algorithms: tuple[str, ...]
    public: Any


def signing_keys(data: bytes) -> tuple[SigningKey, ...]:
    """Of a JWKS; keys for other purposes and invalid public keys are left out."""
    written = json_object(data, "the set of keys").get("keys")
    if not isinstance(written, list) or len(written) > MAX_KEYS:
        raise NotAuthenticated(f"the set of keys has no list `keys` of up to {MAX_KEYS}")
    found = (_signing_key(one) for one in written if isinstance(one, dict))
    return tuple(key for key in found if key is not None)


def _signing_key(written: dict[str, Any]) -> SigningKey | None:
    kind, curve, key_id = written.get("kty"), written.get("crv"), written.get("kid")
    if not isinstance(kind, str) or not isinstance(curve, str | None):
        return None
    algorithms = _ALGORITHMS.get((kind, None if kind == "RSA" else curve), ())
    named = written.get("alg", algorithms[0] if algorithms else None)
    if "alg" in written:
        algorithms = tuple(one for one in algorithms if one == named)
    operations = written.get("key_ops", ["verify"])
    for_signatures = written.get("use", "sig") == "sig" and (
        isinstance(operations, list) and "verify" in operations
    )
    if not (algorithms and for_signatures and isinstance(key_id, str | None)):
        return None
    # Of a private key that was published by mistake, only the public part is read.
    public = {name: written.get(name) for name in ("kty", *_PUBLIC[kind])}
    try:
        key = PyJWK(public, algorithm=algorithms[0]).key
    except (PyJWTError, ValueError, TypeError):
        return None
    if kind == "RSA" and key.key_size < MIN_RSA_BITS:
        return None
    return SigningKey(key_id, algorithms, key)


# Where an issuer's keys are read: a file, or a URL with limits of time and size.


MAX_BYTES = 256 * 1024
MAX_SECONDS = 5.0  # for the whole response
OK = 200


class KeySource(Protocol):
    def read(self) -> bytes:
        """Raises NotAuthenticated if the keys cannot be read."""
        ...


class JwksFile:
    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> bytes:
        try:
            with self._path.open("rb") as file:
                data = file.read(MAX_BYTES + 1)
        except OSError as error:
            raise NotAuthenticated(f"{self._path}: cannot be read: {error.strerror}") from error
        return _check_size(data, str(self._path))


class JwksUrl:
    """No redirect is followed; `max_seconds` limits the whole response."""

    def __init__(self, url: str, max_seconds: float = MAX_SECONDS) -> None:
        self._url = url
        self._max_seconds = max_seconds

    def read(self) -> bytes:
        connection = AbortableConnection()
        headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
        try:
            with (
                self._time_limit(connection),
                open_response(
                    connection,
                    "GET",
                    self._url,
                    headers,
                    connect=self._max_seconds,
                    timeout=self._max_seconds,
                ) as response,
            ):
                if response.status != OK:
                    raise NotAuthenticated(
                        f"{self._url}: answered {response.status}, not with keys"
                    )
                return _check_size(_read_body(response), self._url)
        except (httpcore2.TimeoutException, *FAILURES) as error:
            reason = failure_reason(error)
            raise NotAuthenticated(f"{self._url}: cannot be reached: {reason}") from error

    @contextmanager
    def _time_limit(self, connection: AbortableConnection) -> Iterator[None]:
        """A server that sends single bytes slowly stays within every other timeout."""
        expired = threading.Event()

        def abort() -> None:
            expired.set()
            connection.abort()

        timer = threading.Timer(self._max_seconds, abort)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            if expired.is_set():
                reason = f"not all keys came within {self._max_seconds:g} seconds"
                raise NotAuthenticated(f"{self._url}: {reason}")


def _read_body(response: httpcore2.Response) -> bytes:
    """Stops soon after the limit is exceeded."""
    data = bytearray()
    for block in response.iter_stream():
        data += block
        if len(data) > MAX_BYTES:
            break
    return bytes(data)


def _check_size(data: bytes, where: str) -> bytes:
    if len(data) > MAX_BYTES:
        raise NotAuthenticated(f"{where}: a set of keys of more than {MAX_BYTES:,} bytes")
    return data


# Seconds. A key may be withdrawn, so it is not used for longer than a token usually lives.
FRESH, USABLE = 600.0, 3600.0
PAUSE = 10.0  # between two requests to the issuer, for all callers together


@dataclass(frozen=True, slots=True)
class _CachedKeys:
    keys: tuple[SigningKey, ...]
    read_at: float


class KeySet:
    """Read again when it is no longer fresh, and when a token names a key that is not in it.

    If that fails, the cached keys are used until they are older than `USABLE`.
    """

    def __init__(self, source: KeySource, *, clock: Callable[[], float]) -> None:
        self._source = source
        self._clock = clock
        self._reading = threading.Lock()
        self._cached: _CachedKeys | None = None
        self._last_attempt: float | None = None
        self._last_error = ""

    def key(self, key_id: str | None, algorithm: str) -> SigningKey:
        """The only key that matches; several matches are an error."""
        self._refresh()
        found = self._find(key_id, algorithm)
        if not found:
            # Key ids are untrusted: while one request reads the keys again, no other waits.
            self._read(wait=self._usable() is None)
            found = self._find(key_id, algorithm)
        if len(found) == 1:
            return found[0]
        if self._usable() is None:
            raise NotAuthenticated(f"the issuer's keys cannot be read: {self._last_error}")
        which = "several keys" if found else "no key"
        raise NotAuthenticated(f"{which} of the issuer's set match the token's header")

    def _find(self, key_id: str | None, algorithm: str) -> tuple[SigningKey, ...]:
        cached = self._usable()
        return tuple(
            key
            for key in (cached.keys if cached else ())
            if algorithm in key.algorithms and key_id in (None, key.id)
        )

    def _usable(self) -> _CachedKeys | None:
        cached = self._cached
        return cached if cached and self._clock() - cached.read_at < USABLE else None

    def _refresh(self) -> None:
        cached = self._usable()
        if cached is None:
            self._read(wait=True)
        elif self._clock() - cached.read_at >= FRESH:
            self._read(wait=False)  # one thread reads, the others use the cache

    def _read(self, *, wait: bool) -> None:
        if not self._reading.acquire(blocking=wait):
            return
        try:
            now = self._clock()
            if self._last_attempt is not None and now - self._last_attempt < PAUSE:
                return
            self._last_attempt = now
            self._cached = _CachedKeys(signing_keys(self._source.read()), now)
        except NotAuthenticated as error:
            self._last_error = str(error)
        finally:
            self._reading.release()
