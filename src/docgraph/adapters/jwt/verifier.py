"""JWTs of one issuer: signature, issuer, audience and times are checked."""

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

# A token in its three parts, not yet verified.


# Types of access tokens; a logout token or a proof of possession is not one.
TYPES = ("jwt", "at+jwt")
MAX_KEY_ID_LENGTH = 256
_PART = "([A-Za-z0-9_-]+)"
_COMPACT = re.compile(rf"{_PART}\.{_PART}\.{_PART}")


@dataclass(frozen=True, slots=True)
class CompactJwt:
    """`algorithm` and `key_id` are of the unverified header; `payload` is not yet parsed."""

    algorithm: str
    key_id: str | None
    payload: bytes


def read_compact(token: str) -> CompactJwt:
    """Header and payload; keys in the header (`jwk`, `jku`, `x5u`) are not read."""
    if len(token) > LONGEST_TOKEN:
        raise NotAuthenticated(f"a token of more than {LONGEST_TOKEN:,} characters")
    parts = _COMPACT.fullmatch(token)
    if parts is None:
        raise NotAuthenticated("the credential is not a token of three parts")
    header = json_object(_decode(parts[1]), "the token's header")
    if "crit" in header or "b64" in header:
        raise NotAuthenticated("the token's header requires an extension, and none is supported")
    kind = header.get("typ", TYPES[0])
    if not isinstance(kind, str) or kind.lower().removeprefix("application/") not in TYPES:
        raise NotAuthenticated("the token's type is not that of an access token")
    algorithm, key_id = header.get("alg"), header.get("kid")
    if not isinstance(algorithm, str):
        raise NotAuthenticated("the token's header names no algorithm")
    if key_id is not None and not (isinstance(key_id, str) and len(key_id) <= MAX_KEY_ID_LENGTH):
        raise NotAuthenticated("the token's key id is not a short string")
    return CompactJwt(algorithm, key_id, _decode(parts[2]))


def _decode(part: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
    except binascii.Error:
        raise NotAuthenticated("a part of the token is not base64url") from None


MAX_TIME = 2**53  # seconds since 1970


class JwtVerifier:
    """`algorithms` are pinned: a token's header selects among these only."""

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

    def names_issuer(self, token: str) -> bool:
        try:
            return json_object(read_compact(token).payload, "the token").get("iss") == self.name
        except NotAuthenticated:
            return False

    def verify(self, token: str) -> Mapping[str, object]:
        """Issuer and audience are checked first: a token of others causes no key request."""
        compact = read_compact(token)
        if compact.algorithm not in self._algorithms:
            raise NotAuthenticated("the token is signed by an algorithm that is not allowed")
        claims = json_object(compact.payload, "the token")
        self._check_audience(claims)
        key = self._keys.key(compact.key_id, compact.algorithm)
        try:
            signed = self._signatures.decode(token, key.public, algorithms=[compact.algorithm])
        except (PyJWTError, ValueError, TypeError):
            raise NotAuthenticated("the token's signature is not valid") from None
        if signed != compact.payload:
            raise NotAuthenticated("the token's signature is for another payload")
        self._check_times(claims)
        return claims

    def _check_audience(self, claims: Mapping[str, object]) -> None:
        if claims.get("iss") != self.name:
            raise NotAuthenticated("the token is of another issuer")
        audience = claims.get("aud")
        audiences = audience if isinstance(audience, list) else [audience]
        if not all(isinstance(one, str) for one in audiences) or self._audience not in audiences:
            raise NotAuthenticated("the token is for another audience")

    def _check_times(self, claims: Mapping[str, object]) -> None:
        now = self._now()
        if now >= _time(claims, "exp") + self._leeway:
            raise NotAuthenticated("the token has expired")
        for name in ("nbf", "iat"):
            if name in claims and now < _time(claims, name) - self._leeway:
                raise NotAuthenticated(f"the token is not valid yet, by its {name!r}")


def _time(claims: Mapping[str, object], name: str) -> float:
    """A finite number in a range that arithmetic represents exactly."""
    value = claims.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MAX_TIME:
        raise NotAuthenticated(f"the token has no {name!r} that is a number of seconds")
    return value
