"""What a reader makes of one file: its text, its parts, and what it says about others."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Part:
    """A section or symbol. `name` is its slug or qualified name, unique within the file.

    Parts stand in the order of their starts, a parent before its children; `parent` is an index.
    """

    kind: str
    name: str
    title: str
    start: int
    end: int
    parent: int | None
    lead: str = ""
    signature: str = ""


@dataclass(frozen=True, slots=True)
class Reference:
    """Characters that point at something else, before anyone knows whether it exists.

    `style` says how to read `target`: `path` (a link), `document` (a path whose suffix may be
    missing), `identifier`, `import` (`a.b`, `..a`) or `import-name` (`a.b:name`).
    """

    style: str
    target: str
    line: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Field:
    """A header's or front matter's field; `start` and `end` are those of its value."""

    name: str
    value: str
    line: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Parsed:
    """`titled` tells a title that the text gives from one made of the file's name.

    No chunk reaches across one of the `borders`, such as the end of front matter. `remarks` say
    what was odd in a file that could be used all the same.
    """

    kind: str
    title: str
    titled: bool
    text: str
    lead: str = ""
    parts: tuple[Part, ...] = ()
    references: tuple[Reference, ...] = ()
    fields: tuple[Field, ...] = ()
    borders: tuple[int, ...] = ()
    remarks: tuple[str, ...] = ()


def field_name(raw: str) -> str:
    """`Superseded-By` and `superseded by` are one field."""
    return "_".join(raw.casefold().replace("-", " ").replace("_", " ").split())
