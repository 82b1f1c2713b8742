"""One canonical form for values, so that equal values have equal bytes and equal digests."""

import dataclasses
import hashlib
import json
from collections.abc import Mapping, Set
from typing import Any

_ATOMS = frozenset({str, int, float, bool, type(None)})


def plain(value: object) -> Any:
    """The JSON shape of a value: dataclasses become objects, sets become sorted lists."""
    if type(value) in _ATOMS:
        return value
    if isinstance(value, list | tuple):
        return [item if type(item) in _ATOMS else plain(item) for item in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, Set):
        return sorted(plain(item) for item in value)
    return value


def canonical(value: object) -> bytes:
    """Sorted keys, no white space, UTF-8: the bytes that are hashed and compared."""
    text = json.dumps(
        plain(value), sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False
    )
    return text.encode("utf-8", "surrogatepass")


def digest(value: object) -> str:
    return digest_bytes(canonical(value))


def digest_bytes(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
