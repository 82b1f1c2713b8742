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
class Link:
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
class Pointer:
    """A claim (see `model.claim`) of a part of the file, by index; None is the file itself."""

    relation: str
    part: int | None
    key: str
    line: int
    start: int
    end: int
    says: str
    inner: str = ""
    strict: bool = False
    rank: int = 0
    near: int = 0
    reported: bool = True


@dataclass(frozen=True, slots=True)
class Handle:
    """An offer (see `model.claim`) of a part of the file, by index; None is the file itself."""

    key: str
    part: int | None
    rank: int = 0


@dataclass(frozen=True, slots=True)
class HeaderField:
    """A header's or front matter's field; `start` and `end` are those of its value."""

    name: str
    value: str
    line: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class AccessMapping:
    """Who may read a file, by its own words in that line; what is `wrong` with them denies."""

    line: int
    readers: frozenset[str] = frozenset()
    labels: frozenset[str] = frozenset()
    level: int = 0
    wrong: str = ""


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """`titled` tells a title that the text gives from one made of the file's name.

    No chunk reaches across one of the `borders`, such as the end of front matter. `remarks` say
    what was odd in a file that could be used all the same. `prose` holds the spans that people
    wrote for people; None is all of the text. `opaque` counts calls that no import and no
    definition in the file leads anywhere.

    Where `text` is not the file's own text, `source_lines` maps it back: ascending pairs of an
    offset and the line of the file that stands from there on. `pages` holds the offsets at which
    pages (of a PDF) or cells (of a notebook) begin.

    `access` is None where the file does not say who may read it.
    """

    kind: str
    title: str
    titled: bool
    text: str
    lead: str = ""
    parts: tuple[Part, ...] = ()
    references: tuple[Link, ...] = ()
    fields: tuple[HeaderField, ...] = ()
    borders: tuple[int, ...] = ()
    remarks: tuple[str, ...] = ()
    pointers: tuple[Pointer, ...] = ()
    handles: tuple[Handle, ...] = ()
    prose: tuple[tuple[int, int], ...] | None = None
    opaque: int = 0
    source_lines: tuple[tuple[int, int], ...] = ()
    pages: tuple[int, ...] = ()
    access: AccessMapping | None = None


def field_name(raw: str) -> str:
    """`Superseded-By` and `superseded by` are one field."""
    return "_".join(raw.casefold().replace("-", " ").replace("_", " ").split())
