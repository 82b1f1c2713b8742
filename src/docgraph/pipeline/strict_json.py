"""Reading a file that docgraph wrote, strictly: each key known and there once, each type right."""

import json
from typing import Any, TypeVar

from docgraph.model.digest import canonical
from docgraph.model.errors import DocgraphError

LARGEST = 16 * 1024 * 1024
T = TypeVar("T")


def read_strictly(kind: type[T], text: str | bytes, what: str, refused: type[DocgraphError]) -> T:
    """`what` names it in an error, which is `refused`."""
    from pydantic import TypeAdapter, ValidationError

    if len(text) > LARGEST:
        raise refused(f"a {what} takes at most {LARGEST} bytes, this one has {len(text)}")
    try:
        found = TypeAdapter(kind).validate_json(text, strict=True)
        exact = canonical(found) == canonical(json.loads(text, object_pairs_hook=_once_each))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise refused(f"not a {what}: {where}: {first['msg']}") from error
    except (ValueError, RecursionError) as error:
        raise refused(f"not a {what}: {error}") from error
    if not exact:
        raise refused(f"not a {what}: its keys are not exactly those of a {what}")
    return found


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Of two equal keys one reader takes the first, another the last."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key[:40]!r} stands twice in one object")
        found[key] = value
    return found
