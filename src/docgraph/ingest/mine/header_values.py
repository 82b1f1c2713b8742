"""The single values in a header's field: links, and what commas stand between."""

import re
from collections.abc import Iterator
from dataclasses import replace

from docgraph.ingest.parsed import Field

_LINK = re.compile(
    r"\[[^\]\n]*\]\(<?(?P<markdown>[^)\s>]+)[^)\n]*\)"
    r"|(?::[\w:+-]+:)?`[^`<\n]*<(?P<rst>[^`>\n]+)>`_{0,2}"
)
_BETWEEN = re.compile(r"[,;]|\s+(?:and|&)\s+")
_WRAPPING = " \t\"'`*[](){}<>."
_NOTHING = frozenset({"", "-", "--", "n/a", "na", "none", "null", "~", "nothing", "and"})


def values(field: Field) -> Iterator[Field]:
    """Each with its own place. A link stands for its target; `none` is no value."""
    for match in _LINK.finditer(field.value):
        target = match["markdown"] or match["rst"]
        yield _part(field, match.start(), match.end(), target.strip())
    rest = _LINK.sub(lambda match: "," * len(match.group()), field.value)
    ends = [*(match.span() for match in _BETWEEN.finditer(rest)), (len(rest), len(rest))]
    start = 0
    for end, following in ends:
        value = rest[start:end].strip(_WRAPPING)
        if value.casefold() not in _NOTHING:
            place = rest.index(value, start)
            yield _part(field, place, place + len(value), value)
        start = following


def _part(field: Field, start: int, end: int, value: str) -> Field:
    """Where a value was unquoted or unfolded, its place is the whole field's."""
    if field.end - field.start != len(field.value):
        return replace(field, value=value)
    return replace(field, value=value, start=field.start + start, end=field.start + end)
