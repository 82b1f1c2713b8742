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
from docgraph.ingest.formats.html_tokens import Token, read_attributes, tokenize
from docgraph.ingest.formats.html_writer import TextSpan, Writer, decode_entities
from docgraph.ingest.parsed_file import HeaderField, normalise_field_name
from docgraph.ingest.source_text import Lines

# Fields for browsers and robots alone.
_TECHNICAL = frozenset(
    {"alternate", "apple_touch_icon", "color_scheme", "dns_prefetch", "generator", "icon"}
    | {"manifest", "mask_icon", "modulepreload", "preconnect", "prefetch", "preload", "referrer"}
    | {"robots", "search", "shortcut_icon", "stylesheet", "theme_color", "viewport"}
)
_FIELD_ATTRIBUTES = {"link": ("rel", "href"), "meta": ("name", "content")}


def read_head_field(tag: str, attributes: Mapping[str, str], line: int) -> HeaderField | None:
    """A `meta` or `link` element as a field; it is not in the text, so its span is empty."""
    if tag not in _FIELD_ATTRIBUTES:
        return None
    key, content = _FIELD_ATTRIBUTES[tag]
    name = normalise_field_name(decode_entities(attributes.get(key, "")))
    value = decode_entities(attributes.get(content, "")).strip()
    if not name or not value or name in _TECHNICAL:
        return None
    return HeaderField(name, value, line, 0, 0)


_SIGNS = frozenset("#\u00a7\u00b6\uf0c1\U0001f517")  # the text of permalinks
_NO_ATTRIBUTES: Mapping[str, str] = {}


@dataclass(slots=True)
class PageHeading:
    """`anchor` is the id that links use for it, if there is one."""

    level: int
    span: TextSpan
    anchor: str


class Page:
    """The content of a page, in the order of its text; `regions` are spans of the text."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._lines = Lines(source)
        self._elements = OpenElements()
        self.writer = Writer(self._lines)
        self._layout = Layout(self.writer, self._elements)
        self._heading: PageHeading | None = None
        self._link: tuple[str, TextSpan] | None = None
        self._in_title = False
        # The last id of a container, and of another tag, each with its offset.
        self._container_anchor = self._inline_anchor = ("", -1)
        self.title = ""
        self.headings: list[PageHeading] = []
        self.links: list[tuple[str, TextSpan]] = []
        self.fields: list[HeaderField] = []
        self.regions = self._elements.regions
        for token in tokenize(source):
            self._read(token)
        self._end_heading()
        self._end_link()
        self._elements.close_all(self.writer.length)

    def _read(self, token: Token) -> None:
        if not token.name:
            self._read_text(token.start, token.end)
            return
        if not token.closing:
            self._open(token)
        if token.closing or token.alone:
            self._close(token.name)

    def _read_text(self, start: int, end: int) -> None:
        if self._elements.skipping:
            return
        raw = self._source[start:end]
        if self._in_title:
            self.title = self.title or decode_entities(raw).strip()
        elif not self._is_permalink_sign(raw):
            self.writer.write(raw, start)

    def _is_permalink_sign(self, raw: str) -> bool:
        permalink = self._link is not None and self._link[0].startswith("#")
        return permalink and decode_entities(raw).strip() in _SIGNS

    def _open(self, token: Token) -> None:
        name = token.name
        attributes = (
            read_attributes(self._source, token) if token.end - token.head > 1 else _NO_ATTRIBUTES
        )
        skipped = self._elements.skipping
        self._elements.open(name, attributes, self.writer.length)
        if self._elements.skipping:
            if not skipped and name in BREAKING:
                self.writer.soft_break()
            return
        if name in BREAKING and self._heading and self._heading.span.start >= 0:
            self._end_heading()
        self._layout.open(name)
        if name in HEADINGS:
            self._open_heading(HEADINGS[name], attributes)
        elif attributes:
            self._read_attributes(token, attributes)
        self._in_title = name == "title"

    def _read_attributes(self, token: Token, attributes: Mapping[str, str]) -> None:
        name = token.name
        self._record_anchor(name, attributes)
        if name == "a" and "href" in attributes:
            self._end_link()
            self._link = (decode_entities(attributes["href"]).strip(), self.writer.open_span())
        elif field := read_head_field(name, attributes, self._lines.at(token.start)):
            self.fields.append(field)

    def _close(self, name: str) -> None:
        skipped = self._elements.skipping
        self._elements.close(name, self.writer.length)
        if skipped:
            return
        if name in HEADINGS:
            self._end_heading()
        elif name == "a":
            self._end_link()
        self._layout.close(name)
        self._in_title = False

    def _open_heading(self, level: int, attributes: Mapping[str, str]) -> None:
        self._end_heading()
        here = self.writer.length
        near = (name for name, at in (self._container_anchor, self._inline_anchor) if at == here)
        anchor = _read_id(attributes) or next(near, "")
        self._heading = PageHeading(level, self.writer.open_span(), anchor)

    def _end_heading(self) -> None:
        if self._heading and self.writer.close_span(self._heading.span):
            self.headings.append(self._heading)
        self._heading = None

    def _end_link(self) -> None:
        if self._link and self.writer.close_span(self._link[1]) and self._link[0]:
            self.links.append(self._link)
        self._link = None

    def _record_anchor(self, name: str, attributes: Mapping[str, str]) -> None:
        """An id is the anchor of the heading inside or right behind its element."""
        anchor = _read_id(attributes) or (
            decode_entities(attributes.get("name", "")) if name == "a" else ""
        )
        if not anchor:
            return
        if self._heading:
            self._heading.anchor = self._heading.anchor or anchor
        elif name in CONTAINERS:
            self._container_anchor = (anchor, self.writer.length)
        else:
            self._inline_anchor = (anchor, self.writer.length)


def _read_id(attributes: Mapping[str, str]) -> str:
    return decode_entities(attributes.get("id", "")).strip()
