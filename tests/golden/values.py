"""Golden values as files: how they are written, normalised, read and compared.

Rules of normalisation, and the only ones: times are written `<time>`, durations are left out, and
an interface's own folder, ports and secrets are replaced by names in angle brackets.
"""

import difflib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from docgraph.model.digest import digest, plain

FOLDER = Path(__file__).parent / "values"
DURATIONS = frozenset({"milliseconds", "p50_ms", "p99_ms", "seconds"})
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)")
_SECRET = re.compile(r"dg_[A-Za-z0-9]{12}_[A-Za-z0-9_-]{43}")
_MOST_LINES = 24


def normalise(value: Any, names: Mapping[str, str] | None = None) -> Any:
    """`names` are texts of this run alone, such as its folder, each with what stands for it."""
    if isinstance(value, str):
        value = _SECRET.sub("<secret>", _TIME.sub("<time>", value))
        for text, name in (names or {}).items():
            value = value.replace(text, name)
        return value
    if isinstance(value, list):
        return [normalise(item, names) for item in value]
    if isinstance(value, dict):
        return {
            normalise(key, names): normalise(item, names)
            for key, item in value.items()
            if key not in DURATIONS
        }
    return value


def readable(value: object, names: Mapping[str, str] | None = None) -> Any:
    return normalise(plain(value), names)


def short_digest(value: object) -> str:
    """Enough to tell two values apart; a matrix of them stays small."""
    return digest(readable(value))[:16]


def file_of(area: str) -> Path:
    """An area with a suffix of its own is a text; all others are JSON."""
    return FOLDER / (area if "." in area else f"{area}.json")


def expected(area: str) -> Any:
    text = file_of(area).read_text(encoding="utf-8")
    return json.loads(text) if file_of(area).suffix == ".json" else text


def write(area: str, value: Any) -> None:
    if file_of(area).suffix == ".json":
        value = json.dumps(value, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    file_of(area).write_text(value, encoding="utf-8")


def differences(area: str, actual: Any, stored: Any = None) -> str:
    """Nothing where they are equal; else the keys that differ, and how."""
    stored = expected(area) if stored is None else stored
    if isinstance(stored, str):
        lines: Iterator[str] = difflib.unified_diff(
            stored.splitlines(), actual.splitlines(), "stored", "now", lineterm="", n=1
        )
    else:
        lines = _differences(area, stored, json.loads(json.dumps(actual)))
    shown = list(lines)
    more = len(shown) - _MOST_LINES
    rest = [f"… and {more} lines more"] if more > 0 else []
    return "\n".join([*shown[:_MOST_LINES], *rest])


def _differences(key: str, stored: Any, actual: Any) -> Iterator[str]:
    if isinstance(stored, dict) and isinstance(actual, dict):
        for name in sorted(stored.keys() | actual.keys()):
            if name not in stored or name not in actual:
                yield f"{key} / {name}: only {'stored' if name in stored else 'now'}"
            else:
                yield from _differences(f"{key} / {name}", stored[name], actual[name])
    elif isinstance(stored, list) and isinstance(actual, list) and len(stored) == len(actual):
        for position, (old, new) in enumerate(zip(stored, actual, strict=True)):
            yield from _differences(f"{key} / {position}", old, new)
    elif stored != actual or type(stored) is not type(actual):
        old, new = (json.dumps(one, ensure_ascii=False, sort_keys=True) for one in (stored, actual))
        pairs = enumerate(zip(old, new, strict=False))
        first = next((at for at, (one, other) in pairs if one != other), min(len(old), len(new)))
        yield f"{key}:\n  stored {_part(old, first)}\n  now    {_part(new, first)}"


def _part(text: str, position: int) -> str:
    """What stands around a position."""
    start = max(position - 100, 0) if len(text) > 300 else 0
    stop = start + 300
    return f"{'…' if start else ''}{text[start:stop]}{'…' if stop < len(text) else ''}"
