"""A rule as people write it: `readers`, `labels` and `level`, in access.yaml and front matter."""

import re

from docgraph.ingest.parsed_file import AccessMapping
from docgraph.model.access import EVERYONE
from docgraph.model.validation import suggest
from docgraph.yaml_lines import BadYaml, Line

KEYS = ("readers", "labels", "level", "note")
HIGHEST = 2**31 - 1
NOBODY = "for nobody, write `readers: []`"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def rule_of_mapping(told: Line, also: tuple[str, ...] = ()) -> AccessMapping:
    """Strictly: a rule that is not understood to the last key is none. `also` are other keys."""
    keys = told.value
    if not isinstance(keys, dict):
        raise BadYaml(told.number, f"not a mapping; its keys are {', '.join((*also, *KEYS))}")
    if (unknown := next((key for key in keys if key not in (*also, *KEYS)), None)) is not None:
        fitting = suggest(unknown, (*also, *KEYS))
        raise BadYaml(keys[unknown].number, f"no key is called {unknown!r}; {fitting}")
    if "readers" not in keys:
        raise BadYaml(told.number, f"`readers` missing; {NOBODY}")
    if "note" in keys and not isinstance(keys["note"].value, str):
        raise BadYaml(keys["note"].number, "`note` takes text")
    return AccessMapping(
        told.number,
        names("readers", keys["readers"]),
        names("labels", keys["labels"]) if "labels" in keys else frozenset(),
        _level(keys["level"]) if "level" in keys else 0,
    )


def names(key: str, told: Line) -> frozenset[str]:
    """One name, or a list of names."""
    if told.value is None:
        raise BadYaml(told.number, f"`{key}` says nothing; for none, write `{key}: []`")
    items = told.value if isinstance(told.value, list) else [told]
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


def _level(told: Line) -> int:
    """Only in digits as people read them: YAML takes `010` for 8."""
    level = told.value
    if type(level) is not int or not 0 <= level <= HIGHEST or str(level) != told.written:
        raise BadYaml(
            told.number, f"`level` takes whole numbers from 0 to {HIGHEST:,}, in plain digits"
        )
    return level
