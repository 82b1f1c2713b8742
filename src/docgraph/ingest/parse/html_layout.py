"""How HTML's elements lie on a page of plain text: blocks, items, rows, cells."""

from docgraph.ingest.parse.html_elements import CONTAINERS, LISTS, OpenElements
from docgraph.ingest.parse.html_writer import Writer

HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = (CONTAINERS - LISTS - {"dl", "pre", "table"}) | {
    *("address", "caption", "figcaption", "legend", "p", "summary")
}
_APART = LISTS | HEADINGS.keys() | {"dl", "dt", "hr", "pre", "table"}
_PARTS = frozenset({"dd", "li", "td", "th", "tr"})
BREAKING = _BLOCKS | _APART | _PARTS
_GROUPS = LISTS | {"dl", "table"}
_NOT_PROSE = LISTS | {"pre", "table"}
_VERBATIM = frozenset({"pre"})
_DEEPEST = 8  # lists inside lists are indented up to here


class Layout:
    """Tells the writer what each tag means for the blank space around words."""

    def __init__(self, writer: Writer, elements: OpenElements) -> None:
        self._writer = writer
        self._elements = elements
        self._group = self._row = 0  # the text's length where a list or table, a row began
        self._in_term = False

    def opened(self, name: str) -> None:
        if name == "br":
            self._writer.line_break()
        if name not in BREAKING:
            return
        if name in _BLOCKS:
            self._writer.soft_break()
        elif name in _APART:
            self._writer.hard_break()
        else:
            self._open_part(name)
        if name in _GROUPS and not self._nested():
            self._group = self._writer.length
        self._in_term = name == "dt" or (self._in_term and name in _BLOCKS)
        self._settle()

    def closed(self, name: str) -> None:
        if name not in BREAKING:
            return
        if name in _BLOCKS:
            self._writer.soft_break()
        elif name in _APART or name == "li":
            self._writer.hard_break()
        self._in_term = self._in_term and name in _BLOCKS
        self._settle()

    def _open_part(self, name: str) -> None:
        """Items and rows stand on lines of their own, cells side by side."""
        gap = 1 if self._writer.length > self._group or self._nested() else 2
        if name == "li":
            depth = min(self._elements.inside(LISTS), _DEEPEST)
            self._writer.item("  " * (depth - 1) + "- ", gap)
        elif name == "tr":
            self._row = self._writer.length
            self._writer.item("", gap)
        elif name == "dd":
            self._writer.item("", 1)
        else:
            self._writer.cell(first=self._writer.length == self._row)

    def _nested(self) -> bool:
        return self._elements.inside(_GROUPS) > 1

    def _settle(self) -> None:
        self._writer.prose = not (self._in_term or self._elements.inside(_NOT_PROSE))
        self._writer.verbatim = self._elements.inside(_VERBATIM) > 0
