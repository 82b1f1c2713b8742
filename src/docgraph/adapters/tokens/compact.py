"""A token in its three parts, before anything of it is believed."""

import base64
import binascii
import re
from dataclasses import dataclass

from docgraph.adapters.tokens.strict_json import json_object
from docgraph.model.errors import NotKnown
from docgraph.ports.token_issuer import LONGEST_TOKEN

# Tokens that are made to let somebody in; a logout token or a proof of possession is not.
TYPES = ("jwt", "at+jwt")
LONGEST_KEY_ID = 256
_PART = "([A-Za-z0-9_-]+)"
_COMPACT = re.compile(rf"{_PART}\.{_PART}\.{_PART}")


@dataclass(frozen=True, slots=True)
class Compact:
    """`algorithm` and `key_id` are what the token says of itself; `payload` is not yet read."""

    algorithm: str
    key_id: str | None
    payload: bytes


def read_compact(token: str) -> Compact:
    """Header and payload; keys that a header brings along (`jwk`, `jku`, `x5u`) are not read."""
    if len(token) > LONGEST_TOKEN:
        raise NotKnown(f"a token of more than {LONGEST_TOKEN:,} characters")
    parts = _COMPACT.fullmatch(token)
    if parts is None:
        raise NotKnown("what was shown is no token of three parts")
    header = json_object(_decoded(parts[1]), "the token's header")
    if "crit" in header or "b64" in header:
        raise NotKnown("the token's header asks for an extension, and none is known here")
    kind = header.get("typ", TYPES[0])
    if not isinstance(kind, str) or kind.lower().removeprefix("application/") not in TYPES:
        raise NotKnown("the token's header names a type that lets nobody in")
    algorithm, key_id = header.get("alg"), header.get("kid")
    if not isinstance(algorithm, str):
        raise NotKnown("the token's header names no algorithm")
    if key_id is not None and not (isinstance(key_id, str) and len(key_id) <= LONGEST_KEY_ID):
        raise NotKnown("the token's header has a key id that is no short text")
    return Compact(algorithm, key_id, _decoded(parts[2]))


def _decoded(part: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
    except binascii.Error:
        raise NotKnown("a part of the token is not base64url") from None
