"""An issuer's keys, kept for a while: strangers cannot make us ask for them again and again."""

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

# JSON of an unknown sender: one reading of every text, or none.


def json_object(data: bytes, what: str) -> dict[str, object]:
    """A name that stands twice would be read one way here and another way elsewhere."""
    try:
        found = json.loads(
            data.decode("utf-8"), object_pairs_hook=_named_once, parse_constant=_refused
        )
    except (ValueError, RecursionError):
        raise NotAuthenticated(f"{what} is not JSON, or names a key twice") from None
    if not isinstance(found, dict):
        raise NotAuthenticated(f"{what} is no JSON object")
    return found


def _named_once(pairs: Iterable[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(name)
        found[name] = value
    return found


def _refused(constant: str) -> NoReturn:
    """NaN and Infinity are no JSON, and no point in time."""
    raise ValueError(constant)


# The keys of an issuer's set that may vouch for a token, each with the algorithms it is for.


MOST_KEYS = 100
FEWEST_RSA_BITS = 2048
_PUBLIC = {"RSA": ("n", "e"), "EC": ("crv", "x", "y"), "OKP": ("crv", "x")}
_RSA = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512")
_FITS = {
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
    """Of a JWKS; keys for other ends, and those that are no public keys, are left out."""
    written = json_object(data, "the set of keys").get("keys")
    if not isinstance(written, list) or len(written) > MOST_KEYS:
        raise NotAuthenticated(f"the set of keys has no list `keys` of up to {MOST_KEYS}")
    found = (_signing_key(one) for one in written if isinstance(one, dict))
    return tuple(key for key in found if key is not None)


def _signing_key(written: dict[str, Any]) -> SigningKey | None:
    kind, curve, key_id = written.get("kty"), written.get("crv"), written.get("kid")
    if not isinstance(kind, str) or not isinstance(curve, str | None):
        return None
    algorithms = _FITS.get((kind, None if kind == "RSA" else curve), ())
    named = written.get("alg", algorithms[0] if algorithms else None)
    if "alg" in written:
        algorithms = tuple(one for one in algorithms if one == named)
    operations = written.get("key_ops", ["verify"])
    for_signatures = written.get("use", "sig") == "sig" and (
        isinstance(operations, list) and "verify" in operations
    )
    if not (algorithms and for_signatures and isinstance(key_id, str | None)):
        return None
    # Of a private key that somebody published by mistake, nothing is read but its public half.
    public = {name: written.get(name) for name in ("kty", *_PUBLIC[kind])}
    try:
        key = PyJWK(public, algorithm=algorithms[0]).key
    except (PyJWTError, ValueError, TypeError):
        return None
    if kind == "RSA" and key.key_size < FEWEST_RSA_BITS:
        return None
    return SigningKey(key_id, algorithms, key)


# Where an issuer's keys are read: a file, or an address that is asked within bounds.


LARGEST = 256 * 1024
LONGEST_WAIT = 5.0  # seconds, for all of it
OK = 200


class KeySource(Protocol):
    def read(self) -> bytes:
        """Raises NotAuthenticated where there is nothing to be had."""
        ...


class JwksFile:
    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> bytes:
        try:
            with self._path.open("rb") as file:
                data = file.read(LARGEST + 1)
        except OSError as error:
            raise NotAuthenticated(f"{self._path}: cannot be read: {error.strerror}") from error
        return _small_enough(data, str(self._path))


class JwksUrl:
    """No redirect is followed; `wait` seconds are for all of it."""

    def __init__(self, url: str, wait: float = LONGEST_WAIT) -> None:
        self._url = url
        self._wait = wait

    def read(self) -> bytes:
        connection = AbortableConnection()
        headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
        try:
            with (
                self._time_limit(connection),
                open_response(
                    connection, "GET", self._url, headers, connect=self._wait, timeout=self._wait
                ) as response,
            ):
                if response.status != OK:
                    raise NotAuthenticated(
                        f"{self._url}: answered {response.status}, not with keys"
                    )
                return _small_enough(_read_body(response), self._url)
        except (httpcore2.TimeoutException, *FAILURES) as error:
            reason = failure_reason(error)
            raise NotAuthenticated(f"{self._url}: cannot be reached: {reason}") from error

    @contextmanager
    def _time_limit(self, connection: AbortableConnection) -> Iterator[None]:
        """A server that sends byte by byte is within every other limit."""
        late = threading.Event()

        def abort() -> None:
            late.set()
            connection.abort()

        timer = threading.Timer(self._wait, abort)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            if late.is_set():
                reason = f"not all keys came within {self._wait:g} seconds"
                raise NotAuthenticated(f"{self._url}: {reason}")


def _read_body(response: httpcore2.Response) -> bytes:
    """Up to one byte more than is allowed."""
    data = bytearray()
    for block in response.iter_stream():
        data += block
        if len(data) > LARGEST:
            break
    return bytes(data)


def _small_enough(data: bytes, where: str) -> bytes:
    if len(data) > LARGEST:
        raise NotAuthenticated(f"{where}: a set of keys of more than {LARGEST:,} bytes")
    return data


# Seconds. No longer usable than tokens are, for a key may have been withdrawn meanwhile.
FRESH, USABLE = 600.0, 3600.0
PAUSE = 10.0  # between two tries, for all callers


@dataclass(frozen=True, slots=True)
class _CachedKeys:
    keys: tuple[SigningKey, ...]
    since: float


class KeySet:
    """Read again when it is no longer fresh, and when a token names a key that is not in it.

    Where that fails, what was read before counts on until it is too old.
    """

    def __init__(self, source: KeySource, *, clock: Callable[[], float]) -> None:
        self._source = source
        self._clock = clock
        self._reading = threading.Lock()
        self._kept: _CachedKeys | None = None
        self._tried: float | None = None
        self._trouble = ""

    def key(self, key_id: str | None, algorithm: str) -> SigningKey:
        """The one key that can be meant; several that could be are none."""
        self._freshen()
        found = self._find(key_id, algorithm)
        if not found:
            # Strangers name keys as they like: while one of them has us ask, no other waits.
            self._read(wait=self._usable() is None)
            found = self._find(key_id, algorithm)
        if len(found) == 1:
            return found[0]
        if self._usable() is None:
            raise NotAuthenticated(f"the issuer's keys are not to be had: {self._trouble}")
        many = "several keys" if found else "no key"
        raise NotAuthenticated(f"{many} of the issuer's set fit what the token's header says")

    def _find(self, key_id: str | None, algorithm: str) -> tuple[SigningKey, ...]:
        kept = self._usable()
        return tuple(
            key
            for key in (kept.keys if kept else ())
            if algorithm in key.algorithms and key_id in (None, key.id)
        )

    def _usable(self) -> _CachedKeys | None:
        kept = self._kept
        return kept if kept and self._clock() - kept.since < USABLE else None

    def _freshen(self) -> None:
        kept = self._usable()
        if kept is None:
            self._read(wait=True)
        elif self._clock() - kept.since >= FRESH:
            self._read(wait=False)  # one asks, the others go on with what there is

    def _read(self, *, wait: bool) -> None:
        if not self._reading.acquire(blocking=wait):
            return
        try:
            now = self._clock()
            if self._tried is not None and now - self._tried < PAUSE:
                return
            self._tried = now
            self._kept = _CachedKeys(signing_keys(self._source.read()), now)
        except NotAuthenticated as error:
            self._trouble = str(error)
        finally:
            self._reading.release()
