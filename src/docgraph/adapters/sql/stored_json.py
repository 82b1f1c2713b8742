"""JSON in columns: values as docgraph writes them, or a DamagedRow."""

import json
from typing import Any

from docgraph.adapters.sql.database import DamagedRow


def load_list(text: str) -> list[Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DamagedRow("a stored list is not JSON") from error
    if not isinstance(found, list):
        raise DamagedRow("what is stored as a list is none")
    return found


def load_values(text: str, kind: type) -> list[Any]:
    """A list of values of one type."""
    found = load_list(text)
    if not all(type(value) is kind for value in found):
        raise DamagedRow("a stored list has a value of another type")
    return found


def load_tuples(text: str, *kinds: type) -> list[tuple[Any, ...]]:
    """A list of lists whose values have these types."""
    found = load_list(text)
    for one in found:
        if not isinstance(one, list) or tuple(map(type, one)) != kinds:
            raise DamagedRow("a stored list has a value of another type")
    return [tuple(one) for one in found]
