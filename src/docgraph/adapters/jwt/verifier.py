"""JWTs of one issuer: signed with a key of its set, for us, and for now."""

import base64
import binascii
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from jwt import PyJWS
from jwt.exceptions import PyJWTError

from docgraph.adapters.jwt.jwks import KeySet, json_object
from docgraph.model.errors import NotAuthenticated
from docgraph.ports.auth import LONGEST_TOKEN

# A token in its three parts, before anything of it is believed.


# Tokens that are made to let somebody in; a logout token or a proof of possession is not.
TYPES = ("jwt", "at+jwt")
LONGEST_KEY_ID = 256
_PART = "([A-Za-z0-9_-]+)"
_COMPACT = re.compile(rf"{_PART}\.{_PART}\.{_PART}")


@dataclass(frozen=True, slots=True)
class CompactJwt:
    """`algorithm` and `key_id` are what the token says of itself; `payload` is not yet read."""

    algorithm: str
    key_id: str | None
    payload: bytes


def read_compact(token: str) -> CompactJwt:
    """Header and payload; keys that a header brings along (`jwk`, `jku`, `x5u`) are not read."""
    if len(token) > LONGEST_TOKEN:
        raise NotAuthenticated(f"a token of more than {LONGEST_TOKEN:,} characters")
    parts = _COMPACT.fullmatch(token)
    if parts is None:
        raise NotAuthenticated("what was shown is no token of three parts")
    header = json_object(_decoded(parts[1]), "the token's header")
    if "crit" in header or "b64" in header:
        raise NotAuthenticated("the token's header asks for an extension, and none is known here")
    kind = header.get("typ", TYPES[0])
    if not isinstance(kind, str) or kind.lower().removeprefix("application/") not in TYPES:
        raise NotAuthenticated("the token's header names a type that lets nobody in")
    algorithm, key_id = header.get("alg"), header.get("kid")
    if not isinstance(algorithm, str):
        raise NotAuthenticated("the token's header names no algorithm")
    if key_id is not None and not (isinstance(key_id, str) and len(key_id) <= LONGEST_KEY_ID):
        raise NotAuthenticated("the token's header has a key id that is no short text")
    return CompactJwt(algorithm, key_id, _decoded(parts[2]))


def _decoded(part: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
    except binascii.Error:
        raise NotAuthenticated("a part of the token is not base64url") from None


LATEST = 2**53  # seconds since 1970


class JwtVerifier:
    """`algorithms` are pinned: what a token's header says of itself chooses among these alone."""

    def __init__(
        self,
        name: str,
        audience: str,
        keys: KeySet,
        *,
        algorithms: Sequence[str],
        leeway: float,
        now: Callable[[], float],
    ) -> None:
        self.name = name
        self._audience = audience
        self._keys = keys
        self._algorithms = frozenset(algorithms)
        self._leeway = leeway
        self._now = now
        self._signatures = PyJWS(algorithms=list(algorithms))

    def verify(self, token: str) -> Mapping[str, object]:
        """Issuer and audience are looked at first: no key is asked for on a stranger's word."""
        read = read_compact(token)
        if read.algorithm not in self._algorithms:
            raise NotAuthenticated("the token is signed by an algorithm that is not allowed")
        claims = json_object(read.payload, "the token")
        self._for_us(claims)
        key = self._keys.key(read.key_id, read.algorithm)
        try:
            signed = self._signatures.decode(token, key.public, algorithms=[read.algorithm])
        except (PyJWTError, ValueError, TypeError):
            raise NotAuthenticated("the token's signature does not hold") from None
        if signed != read.payload:
            raise NotAuthenticated("the token's signature is for another text")
        self._for_now(claims)
        return claims

    def _for_us(self, claims: Mapping[str, object]) -> None:
        if claims.get("iss") != self.name:
            raise NotAuthenticated("the token is of another issuer")
        meant = claims.get("aud")
        audiences = meant if isinstance(meant, list) else [meant]
        if not all(isinstance(one, str) for one in audiences) or self._audience not in audiences:
            raise NotAuthenticated("the token is for another audience")

    def _for_now(self, claims: Mapping[str, object]) -> None:
        now = self._now()
        if now >= _time(claims, "exp") + self._leeway:
            raise NotAuthenticated("the token has expired")
        for name in ("nbf", "iat"):
            if name in claims and now < _time(claims, name) - self._leeway:
                raise NotAuthenticated(f"the token is not valid yet, by its {name!r}")


def _time(claims: Mapping[str, object], name: str) -> float:
    """Neither endless nor so large that it cannot be reckoned with."""
    value = claims.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LATEST:
        raise NotAuthenticated(f"the token has no {name!r} that is a number of seconds")
    return value
