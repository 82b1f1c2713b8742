"""An issuer of tokens for tests: keys of every kind, and tokens that say whatever a test likes."""

import base64
import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from cryptography.hazmat.primitives import hashes, hmac, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import get_default_algorithms

from docgraph.adapters.jwt.jwks import KeySet, KeySource
from docgraph.adapters.jwt.verifier import JwtVerifier

NOW = 1_800_000_000.0
NAME, AUDIENCE = "https://id.example.com", "docgraph"
CLAIMS = {
    "iss": NAME,
    "aud": AUDIENCE,
    "sub": "ann",
    "exp": NOW + 100,
    "iat": NOW - 100,
    "nbf": NOW - 100,
}
ALGORITHMS = {"rsa": "RS256", "other": "RS256", "ec": "ES256", "ed": "EdDSA"}


@cache
def private_key(kid: str) -> Any:
    match kid:
        case "ec":
            return ec.generate_private_key(ec.SECP256R1())
        case "ed":
            return ed25519.Ed25519PrivateKey.generate()
        case "small":
            return rsa.generate_private_key(public_exponent=65537, key_size=1024)
        case _:
            return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def pem(kid: str) -> bytes:
    """The public key as anybody may have it."""
    return bytes(
        private_key(kid)
        .public_key()
        .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    )


def jwk(kid: str, /, **changes: object) -> dict[str, Any]:
    algorithm = get_default_algorithms()[ALGORITHMS.get(kid, "RS256")]
    made = algorithm.to_jwk(private_key(kid).public_key(), as_dict=True)
    public = {name: value for name, value in made.items() if name != "key_ops"}
    return {**public, "kid": kid, **changes}


def jwks(*keys: object) -> bytes:
    return json.dumps({"keys": keys}).encode()


PUBLISHED = ("rsa", "ec", "ed")


class PublishedKeys:
    """What the issuer's address answers; counts how often it was asked."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.asked = 0

    def read(self) -> bytes:
        self.asked += 1
        return self.data


def issuer(
    source: KeySource | None = None,
    algorithms: Sequence[str] = ("RS256", "ES256", "EdDSA"),
    leeway: float = 60,
) -> JwtVerifier:
    keys = source or PublishedKeys(jwks(*map(jwk, PUBLISHED)))
    return JwtVerifier(
        NAME,
        AUDIENCE,
        KeySet(keys, clock=lambda: 0.0),
        algorithms=algorithms,
        leeway=leeway,
        now=lambda: NOW,
    )


def part(data: bytes | object) -> str:
    written = data if isinstance(data, bytes) else json.dumps(data).encode()
    return base64.urlsafe_b64encode(written).rstrip(b"=").decode()


def sign(header: bytes | object, payload: bytes | object, kid: str = "rsa") -> str:
    """By the private key of that name, whatever header and payload say."""
    text = f"{part(header)}.{part(payload)}"
    algorithm = get_default_algorithms()[ALGORITHMS.get(kid, "RS256")]
    return f"{text}.{part(algorithm.sign(text.encode(), private_key(kid)))}"


def token(
    claims: Mapping[str, object] = CLAIMS,
    kid: str = "rsa",
    header: Mapping[str, object] | None = None,
    **changes: object,
) -> str:
    """A good one, but for what is changed; None takes a claim away."""
    said = {name: value for name, value in {**claims, **changes}.items() if value is not None}
    default = {"alg": ALGORITHMS.get(kid, "RS256"), "kid": kid, "typ": "JWT"}
    return sign({**default, **(header or {})}, said, kid)


def with_secret(header: Mapping[str, object], secret: bytes) -> str:
    """Signed by HMAC, as if the secret were one."""
    text = f"{part(dict(header))}.{part(CLAIMS)}"
    mac = hmac.HMAC(secret, hashes.SHA256())
    mac.update(text.encode())
    return f"{text}.{part(mac.finalize())}"


def unsigned(header: Mapping[str, object]) -> str:
    return f"{part(dict(header))}.{part(CLAIMS)}."
