"""The open elements of an HTML page, what is skipped, and the layout of its text."""

from collections import Counter
from collections.abc import Mapping

from docgraph.ingest.formats.html_writer import TextSpan, Writer

LISTS = frozenset({"dir", "menu", "ol", "ul"})
# Elements whose end tags also close inner elements that were left open.
CONTAINERS = LISTS | frozenset(
    {"article", "aside", "blockquote", "center", "details", "div", "dl", "fieldset", "figure"}
    | {"footer", "form", "header", "main", "nav", "pre", "section", "table"}
)
VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source"}
    | {"track", "wbr"}
)
_SKIPPED = frozenset(
    {"audio", "button", "canvas", "datalist", "iframe", "nav", "noscript", "object", "select"}
    | {"svg", "template", "textarea", "video"}
)
_SKIPPED_ROLES = frozenset({"contentinfo", "menubar", "navigation", "search", "toolbar"})
_SKIPPED_CLASSES = frozenset({"linenodiv", "linenos", "mw-editsection"})


class OpenElements:
    """A stack of containers and no tree: time does not grow with depth."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._counts: Counter[str] = Counter()
        self._skipped = 0  # the depth of the skipped element; 0 for none
        self._open_regions: list[tuple[int, TextSpan]] = []
        self.regions: dict[str, list[TextSpan]] = {"main": [], "article": []}

    @property
    def skipping(self) -> bool:
        return self._skipped > 0

    def count_open(self, names: frozenset[str]) -> int:
        """How many of these are open."""
        return sum(self._counts[name] for name in names)

    def open(self, name: str, attributes: Mapping[str, str], at: int) -> None:
        """`at` is the length of the text so far."""
        skip = not self._skipped and self._is_boilerplate(name, attributes)
        if name in VOID or not (skip or name in CONTAINERS or name == self._skipped_name()):
            return
        self._names.append(name)
        self._counts[name] += 1
        if skip:
            self._skipped = len(self._names)
        elif not self._skipped and (kind := _region_kind(name, attributes)):
            self._open_region(kind, at)

    def close(self, name: str, at: int) -> None:
        """Closes all inside it too; an end tag without a start tag is ignored."""
        if not self._counts[name]:
            return
        closed = ""
        while closed != name:
            closed = self._names.pop()
            self._counts[closed] -= 1
        depth = len(self._names)
        if depth < self._skipped:
            self._skipped = 0
        while self._open_regions and depth < self._open_regions[-1][0]:
            self._open_regions.pop()[1].end = at

    def close_all(self, at: int) -> None:
        for _, region in self._open_regions:
            region.end = at

    def _skipped_name(self) -> str:
        return self._names[self._skipped - 1] if self._skipped else ""

    def _open_region(self, kind: str, at: int) -> None:
        """Only the outermost of each kind counts."""
        known = self.regions[kind]
        if not known or known[-1].end >= 0:
            known.append(span := TextSpan(at))
            self._open_regions.append((len(self._names), span))

    def _is_boilerplate(self, name: str, attributes: Mapping[str, str]) -> bool:
        """Navigation, controls, pictures, line numbers."""
        if name in _SKIPPED or (name == "footer" and not self._open_regions):
            return True
        if not attributes:
            return False
        return (
            attributes.get("role") in _SKIPPED_ROLES
            or attributes.get("aria-hidden") == "true"
            or not _SKIPPED_CLASSES.isdisjoint(attributes.get("class", "").split())
        )


def _region_kind(name: str, attributes: Mapping[str, str]) -> str:
    if name == "main" or attributes.get("role") == "main":
        return "main"
    return "article" if name == "article" else ""


HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = (CONTAINERS - LISTS - {"dl", "pre", "table"}) | {
    *("address", "caption", "figcaption", "legend", "p", "summary")
}
_SEPARATE = LISTS | HEADINGS.keys() | {"dl", "dt", "hr", "pre", "table"}
_ITEMS = frozenset({"dd", "li", "td", "th", "tr"})
BREAKING = _BLOCKS | _SEPARATE | _ITEMS
_GROUPS = LISTS | {"dl", "table"}
_NOT_PROSE = LISTS | {"pre", "table"}
_VERBATIM = frozenset({"pre"})
_MAX_INDENT_LEVELS = 8


class Layout:
    """Makes each tag the white space around text: blocks, items, rows, cells."""

    def __init__(self, writer: Writer, elements: OpenElements) -> None:
        self._writer = writer
        self._elements = elements
        self._group = self._row = 0  # the text's length where a list or table, a row began
        self._in_term = False

    def open(self, name: str) -> None:
        if name == "br":
            self._writer.line_break()
        if name not in BREAKING:
            return
        if name in _BLOCKS:
            self._writer.soft_break()
        elif name in _SEPARATE:
            self._writer.hard_break()
        else:
            self._open_item(name)
        if name in _GROUPS and not self._is_nested():
            self._group = self._writer.length
        self._in_term = name == "dt" or (self._in_term and name in _BLOCKS)
        self._update_writer()

    def close(self, name: str) -> None:
        if name not in BREAKING:
            return
        if name in _BLOCKS:
            self._writer.soft_break()
        elif name in _SEPARATE or name == "li":
            self._writer.hard_break()
        self._in_term = self._in_term and name in _BLOCKS
        self._update_writer()

    def _open_item(self, name: str) -> None:
        """Items and rows begin a line, cells stay on it."""
        gap = 1 if self._writer.length > self._group or self._is_nested() else 2
        if name == "li":
            depth = min(self._elements.count_open(LISTS), _MAX_INDENT_LEVELS)
            self._writer.item("  " * (depth - 1) + "- ", gap)
        elif name == "tr":
            self._row = self._writer.length
            self._writer.item("", gap)
        elif name == "dd":
            self._writer.item("", 1)
        else:
            self._writer.cell(first=self._writer.length == self._row)

    def _is_nested(self) -> bool:
        return self._elements.count_open(_GROUPS) > 1

    def _update_writer(self) -> None:
        self._writer.prose = not (self._in_term or self._elements.count_open(_NOT_PROSE))
        self._writer.verbatim = self._elements.count_open(_VERBATIM) > 0
