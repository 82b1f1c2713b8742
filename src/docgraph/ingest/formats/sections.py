"""Headings to sections: spans, nesting and anchors."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from docgraph.ingest.parsed_file import HeaderField, Part
from docgraph.model.node import SECTION
from docgraph.model.validation import UNSTORABLE

# Slugs: headings as anchors, the way GitHub makes them.


_DROPPED = re.compile(r"[^\w\- ]")
_LONGEST = 200


def slug(heading: str) -> str:
    kept = _DROPPED.sub("", heading.strip().lower()).replace(" ", "-")
    return kept[:_LONGEST] or "section"


class Slugs:
    """Hands out each anchor once: a repeated heading gets `-1`, `-2` in document order."""

    __slots__ = ("_next", "_taken")

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}

    def take(self, heading: str) -> str:
        plain = found = slug(heading)
        while found in self._taken:
            self._next[plain] = self._next.get(plain, 0) + 1
            found = f"{plain}-{self._next[plain]}"
        self._taken.add(found)
        return found


@dataclass(frozen=True, slots=True)
class Heading:
    """`body` is where its text begins; a lower level encloses a higher one."""

    level: int
    title: str
    start: int
    body: int
    lead: str = ""


def sections(headings: Sequence[Heading], end: int, slugs: Slugs) -> tuple[Part, ...]:
    """A section reaches to the next heading that it does not enclose."""
    ends = [end] * len(headings)
    parents: list[int | None] = []
    opened: list[int] = []
    for index, heading in enumerate(headings):
        while opened and headings[opened[-1]].level >= heading.level:
            ends[opened.pop()] = heading.start
        parents.append(opened[-1] if opened else None)
        opened.append(index)
    return tuple(
        Part(SECTION, slugs.take(h.title), h.title, h.start, ends[i], parents[i], h.lead)
        for i, h in enumerate(headings)
    )


# Titles: which one a document goes by, and the fallbacks when it names none.


LONGEST = 200
_SPACES = re.compile(r"\s+")


def tidy(title: str) -> str:
    """On one line, and short enough to be a title."""
    flat = _SPACES.sub(" ", UNSTORABLE.sub("", title)).strip()
    return flat if len(flat) <= LONGEST else flat[: LONGEST - 1].rstrip() + "…"


def field_title(fields: Iterable[HeaderField]) -> str:
    return next((tidy(field.value) for field in fields if field.name == "title"), "")


def chosen(path: str, *candidates: str) -> tuple[str, bool]:
    """The first candidate that says something, else the file's name; and whether it was said."""
    said = next((tidy(candidate) for candidate in candidates if candidate.strip()), "")
    return (said, True) if said else (PurePosixPath(path).name, False)
