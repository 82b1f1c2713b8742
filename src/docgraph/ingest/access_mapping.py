"""Parses an access rule: `readers`, `labels` and `level`, in access.yaml and front matter."""

import re

from docgraph.ingest.parsed_file import AccessMapping
from docgraph.model.access import EVERYONE
from docgraph.model.validation import suggest
from docgraph.yaml_lines import BadYaml, Line

KEYS = ("readers", "labels", "level", "note")
MAX_LEVEL = 2**31 - 1
NOBODY = "for nobody, write `readers: []`"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def parse_access_mapping(line: Line, other_keys: tuple[str, ...] = ()) -> AccessMapping:
    """Strictly: one key that is not understood makes the whole rule an error."""
    keys, known = line.value, (*other_keys, *KEYS)
    if not isinstance(keys, dict):
        raise BadYaml(line.number, f"not a mapping; its keys are {', '.join(known)}")
    if (unknown := next((key for key in keys if key not in known), None)) is not None:
        fitting = suggest(unknown, known)
        raise BadYaml(keys[unknown].number, f"no key is called {unknown!r}; {fitting}")
    if "readers" not in keys:
        raise BadYaml(line.number, f"`readers` missing; {NOBODY}")
    if "note" in keys and not isinstance(keys["note"].value, str):
        raise BadYaml(keys["note"].number, "`note` takes text")
    return AccessMapping(
        line.number,
        parse_names("readers", keys["readers"]),
        parse_names("labels", keys["labels"]) if "labels" in keys else frozenset(),
        _parse_level(keys["level"]) if "level" in keys else 0,
    )


def parse_names(key: str, line: Line) -> frozenset[str]:
    """One name, or a list of names."""
    if line.value is None:
        raise BadYaml(line.number, f"`{key}` says nothing; for none, write `{key}: []`")
    items = line.value if isinstance(line.value, list) else [line]
    for item in items:
        name = item.value
        if not isinstance(name, str):
            raise BadYaml(
                item.number, f"`{key}` takes names; put in quotes what YAML takes for none"
            )
        if not name or name != name.strip() or _CONTROL.search(name):
            raise BadYaml(
                item.number,
                f"`{key}`: {name!r} is empty, or has blanks around it or control characters",
            )
        if key != "labels" and _means_everyone(name):
            raise BadYaml(
                item.number,
                f"`{key}`: {name!r} is no name; for all of the tenant, write `{EVERYONE}`",
            )
    return frozenset(item.value for item in items)


def _means_everyone(name: str) -> bool:
    return not name.strip("*") or (name != EVERYONE and name.casefold() == EVERYONE)


def _parse_level(line: Line) -> int:
    """In plain digits only: YAML reads `010` as 8."""
    level = line.value
    if type(level) is not int or not 0 <= level <= MAX_LEVEL or str(level) != line.written:
        raise BadYaml(
            line.number, f"`level` takes whole numbers from 0 to {MAX_LEVEL:,}, in plain digits"
        )
    return level
