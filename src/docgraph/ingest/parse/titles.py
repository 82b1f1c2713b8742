"""Titles: which one a document goes by, and the fallbacks when it names none."""

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

from docgraph.ingest.parsed import Field
from docgraph.model.storable import UNSTORABLE

LONGEST = 200
_SPACES = re.compile(r"\s+")


def tidy(title: str) -> str:
    """On one line, and short enough to be a title."""
    flat = _SPACES.sub(" ", UNSTORABLE.sub("", title)).strip()
    return flat if len(flat) <= LONGEST else flat[: LONGEST - 1].rstrip() + "…"


def field_title(fields: Iterable[Field]) -> str:
    return next((tidy(field.value) for field in fields if field.name == "title"), "")


def chosen(path: str, *candidates: str) -> tuple[str, bool]:
    """The first candidate that says something, else the file's name; and whether it was said."""
    said = next((tidy(candidate) for candidate in candidates if candidate.strip()), "")
    return (said, True) if said else (PurePosixPath(path).name, False)
