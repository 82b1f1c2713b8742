"""What a format's parser returns for one file: text, parts, links, references and definitions."""

from dataclasses import dataclass

from docgraph.model.node import SECTION, section_id, symbol_id
from docgraph.model.reference import Definition, Reference


@dataclass(frozen=True, slots=True)
class Part:
    """A section or symbol. `name` is its slug or qualified name, unique within the file.

    Parts are in the order of their starts, a parent before its children; `parent` is an index.
    """

    kind: str
    name: str
    title: str
    start: int
    end: int
    parent: int | None
    lead: str = ""
    signature: str = ""

    @property
    def suffix(self) -> str:
        """What its id adds to the document's id."""
        return (section_id if self.kind == SECTION else symbol_id)("", self.name)


@dataclass(frozen=True, slots=True)
class Link:
    """A link as written, before it is known whether its target exists.

    `style` says how to read `target`: `path` (a link), `document` (a path whose suffix may be
    missing) or `identifier`.
    """

    style: str
    target: str
    line: int
    start: int
    end: int


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
    """Who may read a file, as its front matter states in that line; with an `error`, nobody may."""

    line: int
    readers: frozenset[str] = frozenset()
    labels: frozenset[str] = frozenset()
    level: int = 0
    error: str = ""


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """`titled` is whether the text gives the title; otherwise it is made of the file's name.

    No chunk crosses one of the `borders`, such as the end of front matter. `remarks` describe
    what was odd in a file that could be read all the same. `prose` holds the spans of natural
    language, such as comments in code; None is all of the text. `unresolved_calls` counts calls
    that resolve to nothing by the file's imports and definitions.

    Where `text` is not the file's own text, `source_lines` maps it back: ascending pairs of an
    offset and the file's line from there on. `pages` holds the offsets at which pages (of a PDF)
    or cells (of a notebook) begin.

    `access` is None where the file does not state who may read it.
    """

    kind: str
    title: str
    titled: bool
    text: str
    lead: str = ""
    parts: tuple[Part, ...] = ()
    links: tuple[Link, ...] = ()
    fields: tuple[HeaderField, ...] = ()
    borders: tuple[int, ...] = ()
    remarks: tuple[str, ...] = ()
    references: tuple[Reference, ...] = ()
    definitions: tuple[Definition, ...] = ()
    prose: tuple[tuple[int, int], ...] | None = None
    unresolved_calls: int = 0
    source_lines: tuple[tuple[int, int], ...] = ()
    pages: tuple[int, ...] = ()
    access: AccessMapping | None = None


def normalise_field_name(raw: str) -> str:
    """`Superseded-By` and `superseded by` are one field."""
    return "_".join(raw.casefold().replace("-", " ").replace("_", " ").split())
