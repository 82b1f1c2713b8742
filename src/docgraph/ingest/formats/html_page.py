"""One HTML page, read from top to bottom: its text, headings, links and fields."""

from collections.abc import Mapping
from dataclasses import dataclass

from docgraph.ingest.formats.html_elements import (
    BREAKING,
    CONTAINERS,
    HEADINGS,
    Layout,
    OpenElements,
)
from docgraph.ingest.formats.html_tokens import Token, attributes, tokens
from docgraph.ingest.formats.html_writer import Span, Writer, readable
from docgraph.ingest.parsed_file import HeaderField, normalise_field_name
from docgraph.ingest.source_text import Lines

# What the head of an HTML page says about it: `meta` and `link` elements as fields.


# What tells browsers and robots something, but readers nothing.
_TECHNICAL = frozenset(
    {"alternate", "apple_touch_icon", "color_scheme", "dns_prefetch", "generator", "icon"}
    | {"manifest", "mask_icon", "modulepreload", "preconnect", "prefetch", "preload", "referrer"}
    | {"robots", "search", "shortcut_icon", "stylesheet", "theme_color", "viewport"}
)
_TOLD_BY = {"link": ("rel", "href"), "meta": ("name", "content")}


def head_field(tag: str, told: Mapping[str, str], line: int) -> HeaderField | None:
    """It has a line, but no place in the text: it begins and ends at 0."""
    if tag not in _TOLD_BY:
        return None
    key, content = _TOLD_BY[tag]
    name = normalise_field_name(readable(told.get(key, "")))
    value = readable(told.get(content, "")).strip()
    if not name or not value or name in _TECHNICAL:
        return None
    return HeaderField(name, value, line, 0, 0)


_SIGNS = frozenset("#\u00a7\u00b6\uf0c1\U0001f517")  # what permalinks show
_NOTHING: Mapping[str, str] = {}


@dataclass(slots=True)
class PageHeading:
    """`anchor` is the id that leads to it, if there is one."""

    level: int
    span: Span
    anchor: str


class Page:
    """What stands on the page, in the order of its text; `regions` are spans of the text."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._lines = Lines(source)
        self._elements = OpenElements()
        self.writer = Writer(self._lines)
        self._layout = Layout(self.writer, self._elements)
        self._heading: PageHeading | None = None
        self._link: tuple[str, Span] | None = None
        self._in_title = False
        self._wrapping = self._marking = ("", -1)  # the last id of a container, of another tag
        self.title = ""
        self.headings: list[PageHeading] = []
        self.links: list[tuple[str, Span]] = []
        self.fields: list[HeaderField] = []
        self.regions = self._elements.regions
        for token in tokens(source):
            self._read(token)
        self._end_heading()
        self._end_link()
        self._elements.ended(self.writer.length)

    def _read(self, token: Token) -> None:
        if not token.name:
            self._text(token.start, token.end)
            return
        if not token.closing:
            self._opened(token)
        if token.closing or token.alone:
            self._closed(token.name)

    def _text(self, start: int, end: int) -> None:
        if self._elements.skipping:
            return
        raw = self._source[start:end]
        if self._in_title:
            self.title = self.title or readable(raw).strip()
        elif not self._is_sign(raw):
            self.writer.write(raw, start)

    def _is_sign(self, raw: str) -> bool:
        permalink = self._link is not None and self._link[0].startswith("#")
        return permalink and readable(raw).strip() in _SIGNS

    def _opened(self, token: Token) -> None:
        name = token.name
        told = attributes(self._source, token) if token.end - token.head > 1 else _NOTHING
        skipped = self._elements.skipping
        self._elements.opened(name, told, self.writer.length)
        if self._elements.skipping:
            if not skipped and name in BREAKING:
                self.writer.soft_break()
            return
        if name in BREAKING and self._heading and self._heading.span.start >= 0:
            self._end_heading()
        self._layout.opened(name)
        if name in HEADINGS:
            self._open_heading(HEADINGS[name], told)
        elif told:
            self._told(token, told)
        self._in_title = name == "title"

    def _told(self, token: Token, told: Mapping[str, str]) -> None:
        name = token.name
        self._remember_anchor(name, told)
        if name == "a" and "href" in told:
            self._end_link()
            self._link = (readable(told["href"]).strip(), self.writer.awaiting())
        elif found := head_field(name, told, self._lines.at(token.start)):
            self.fields.append(found)

    def _closed(self, name: str) -> None:
        skipped = self._elements.skipping
        self._elements.closed(name, self.writer.length)
        if skipped:
            return
        if name in HEADINGS:
            self._end_heading()
        elif name == "a":
            self._end_link()
        self._layout.closed(name)
        self._in_title = False

    def _open_heading(self, level: int, told: Mapping[str, str]) -> None:
        self._end_heading()
        here = self.writer.length
        near = (name for name, at in (self._wrapping, self._marking) if at == here)
        anchor = _anchor(told) or next(near, "")
        self._heading = PageHeading(level, self.writer.awaiting(), anchor)

    def _end_heading(self) -> None:
        if self._heading and self.writer.complete(self._heading.span):
            self.headings.append(self._heading)
        self._heading = None

    def _end_link(self) -> None:
        if self._link and self.writer.complete(self._link[1]) and self._link[0]:
            self.links.append(self._link)
        self._link = None

    def _remember_anchor(self, name: str, told: Mapping[str, str]) -> None:
        """An id leads to the heading inside or right behind its element."""
        anchor = _anchor(told) or (readable(told.get("name", "")) if name == "a" else "")
        if not anchor:
            return
        if self._heading:
            self._heading.anchor = self._heading.anchor or anchor
        elif name in CONTAINERS:
            self._wrapping = (anchor, self.writer.length)
        else:
            self._marking = (anchor, self.writer.length)


def _anchor(told: Mapping[str, str]) -> str:
    return readable(told.get("id", "")).strip()
