"""One canonical form for values, so that equal values have equal bytes and equal digests."""

import dataclasses
import hashlib
import json
from collections.abc import Callable, Mapping, Set
from operator import attrgetter
from typing import Any

_ATOMS = frozenset({str, int, float, bool, type(None)})
_converters: dict[type, Callable[[Any], Any]] = {}  # made once for each type


def plain(value: object) -> Any:
    """The JSON shape of a value: dataclasses become objects, sets become sorted lists."""
    kind = type(value)
    if kind in _ATOMS:
        return value
    convert = _converters.get(kind)
    if convert is None:
        convert = _converters[kind] = _converter(kind)
    return convert(value)


def _converter(kind: type) -> Callable[[Any], Any]:
    if issubclass(kind, list | tuple):
        return _convert_items
    if dataclasses.is_dataclass(kind):
        return _object_converter(dataclasses.fields(kind))
    if issubclass(kind, Mapping):
        return lambda value: {str(key): plain(item) for key, item in value.items()}
    if issubclass(kind, Set):
        return lambda value: sorted(plain(item) for item in value)
    return lambda value: value


def _convert_items(values: list[Any] | tuple[Any, ...]) -> list[Any]:
    return [item if type(item) in _ATOMS else plain(item) for item in values]


def _object_converter(fields: tuple[dataclasses.Field[Any], ...]) -> Callable[[Any], Any]:
    """A field may have another name in JSON, its `alias`, which pydantic reads too."""
    attributes = [field.name for field in fields]
    names = [field.metadata.get("alias", field.name) for field in fields]
    if len(names) < 2:  # with one name, attrgetter returns no tuple
        pairs = tuple(zip(names, attributes, strict=True))
        return lambda value: {name: plain(getattr(value, one)) for name, one in pairs}
    read = attrgetter(*attributes)
    return lambda value: dict(zip(names, _convert_items(read(value)), strict=True))


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
