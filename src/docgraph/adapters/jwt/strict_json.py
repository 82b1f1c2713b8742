"""JSON of strangers: one reading of every text, or none."""

import json
from collections.abc import Iterable
from typing import NoReturn

from docgraph.model.errors import NotKnown


def json_object(data: bytes, what: str) -> dict[str, object]:
    """A name that stands twice would be read one way here and another way elsewhere."""
    try:
        found = json.loads(
            data.decode("utf-8"), object_pairs_hook=_named_once, parse_constant=_refused
        )
    except (ValueError, RecursionError):
        raise NotKnown(f"{what} is not JSON, or names a key twice") from None
    if not isinstance(found, dict):
        raise NotKnown(f"{what} is no JSON object")
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
