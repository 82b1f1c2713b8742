"""The keys of an issuer's set that may vouch for a token, each with the algorithms it is for."""

from dataclasses import dataclass
from typing import Any

from jwt import PyJWK
from jwt.exceptions import PyJWTError

from docgraph.adapters.tokens.strict_json import json_object
from docgraph.model.errors import NotKnown

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
        raise NotKnown(f"the set of keys has no list `keys` of up to {MOST_KEYS}")
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
