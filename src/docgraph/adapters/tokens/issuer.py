"""JWTs of one issuer: signed with a key of its set, for us, and for now."""

from collections.abc import Callable, Mapping, Sequence

from jwt import PyJWS
from jwt.exceptions import PyJWTError

from docgraph.adapters.tokens.compact import read_compact
from docgraph.adapters.tokens.key_set import KeySet
from docgraph.adapters.tokens.strict_json import json_object
from docgraph.model.errors import NotKnown

LATEST = 2**53  # seconds since 1970


class JwtIssuer:
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

    def claims(self, token: str) -> Mapping[str, object]:
        """Issuer and audience are looked at first: no key is asked for on a stranger's word."""
        read = read_compact(token)
        if read.algorithm not in self._algorithms:
            raise NotKnown("the token is signed by an algorithm that is not allowed")
        claims = json_object(read.payload, "the token")
        self._for_us(claims)
        key = self._keys.key(read.key_id, read.algorithm)
        try:
            signed = self._signatures.decode(token, key.public, algorithms=[read.algorithm])
        except (PyJWTError, ValueError, TypeError):
            raise NotKnown("the token's signature does not hold") from None
        if signed != read.payload:
            raise NotKnown("the token's signature is for another text")
        self._for_now(claims)
        return claims

    def _for_us(self, claims: Mapping[str, object]) -> None:
        if claims.get("iss") != self.name:
            raise NotKnown("the token is of another issuer")
        meant = claims.get("aud")
        audiences = meant if isinstance(meant, list) else [meant]
        if not all(isinstance(one, str) for one in audiences) or self._audience not in audiences:
            raise NotKnown("the token is for another audience")

    def _for_now(self, claims: Mapping[str, object]) -> None:
        now = self._now()
        if now >= _time(claims, "exp") + self._leeway:
            raise NotKnown("the token has expired")
        for name in ("nbf", "iat"):
            if name in claims and now < _time(claims, name) - self._leeway:
                raise NotKnown(f"the token is not valid yet, by its {name!r}")


def _time(claims: Mapping[str, object], name: str) -> float:
    """Neither endless nor so large that it cannot be reckoned with."""
    value = claims.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LATEST:
        raise NotKnown(f"the token has no {name!r} that is a number of seconds")
    return value
