"""Makes sections of headings, with anchors as GitHub makes them, and chooses titles."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from docgraph.ingest.parsed_file import HeaderField, Part
from docgraph.ingest.source_text import has_word
from docgraph.model.node import SECTION
from docgraph.model.validation import UNSTORABLE

MAX_TITLE_CHARACTERS = 200
_MAX_SLUG_CHARACTERS = 200
_NOT_IN_SLUG = re.compile(r"[^\w\- ]")
_SPACES = re.compile(r"\s+")


def make_slug(heading: str) -> str:
    slug = _NOT_IN_SLUG.sub("", heading.strip().lower()).replace(" ", "-")
    return slug[:_MAX_SLUG_CHARACTERS] or "section"


class Slugs:
    """Assigns each anchor once: a repeated heading gets `-1`, `-2` in document order."""

    __slots__ = ("_assigned", "_next")

    def __init__(self) -> None:
        self._assigned: set[str] = set()
        self._next: dict[str, int] = {}

    def assign(self, heading: str) -> str:
        plain = slug = make_slug(heading)
        while slug in self._assigned:
            self._next[plain] = self._next.get(plain, 0) + 1
            slug = f"{plain}-{self._next[plain]}"
        self._assigned.add(slug)
        return slug


@dataclass(frozen=True, slots=True)
class Heading:
    """`body` is where its text begins; a lower level encloses a higher one."""

    level: int
    title: str
    start: int
    body: int
    lead: str = ""


def make_sections(headings: Sequence[Heading], end: int, slugs: Slugs) -> tuple[Part, ...]:
    """A section ends at the next heading of its own level or a lower one."""
    ends = [end] * len(headings)
    parents: list[int | None] = []
    opened: list[int] = []
    for index, heading in enumerate(headings):
        while opened and headings[opened[-1]].level >= heading.level:
            ends[opened.pop()] = heading.start
        parents.append(opened[-1] if opened else None)
        opened.append(index)
    return tuple(
        Part(SECTION, slugs.assign(h.title), h.title, h.start, ends[i], parents[i], h.lead)
        for i, h in enumerate(headings)
    )


def clean_title(title: str) -> str:
    """On one line, and short enough to be a title."""
    flat = _SPACES.sub(" ", UNSTORABLE.sub("", title)).strip()
    if len(flat) <= MAX_TITLE_CHARACTERS:
        return flat
    return flat[: MAX_TITLE_CHARACTERS - 1].rstrip() + "…"


def field_title(fields: Iterable[HeaderField]) -> str:
    return next((clean_title(field.value) for field in fields if field.name == "title"), "")


def choose_title(path: str, *candidates: str) -> tuple[str, bool]:
    """The first candidate with a letter or digit; else the file's name, and False."""
    title = next((clean_title(candidate) for candidate in candidates if has_word(candidate)), "")
    return (title, True) if title else (PurePosixPath(path).name, False)
