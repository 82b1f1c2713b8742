"""Writes the text of an HTML page: blocks, items and cells, and the line each came from."""

import html
import re
from dataclasses import dataclass

from docgraph.ingest.source_text import Lines

_BLANK_LINE = 2
_INVISIBLE = re.compile("[\u00ad\u200b\ufeff]")  # soft hyphens and the like


@dataclass(slots=True)
class TextSpan:
    """From the first text after it was opened; -1 until there is some."""

    start: int = -1
    end: int = -1


class Writer:
    """White space is written before the next text, so that none is at the ends of the whole."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._pieces: list[str] = []
        self._gap = 0  # line ends before the next text
        self._mark = ""  # what precedes the next text, such as `- ` of an item
        self._fresh = False  # an item or cell was opened and is still empty
        self._space = False
        self._open_spans: list[TextSpan] = []
        self.length = 0
        self.source_lines: list[tuple[int, int]] = []
        self.blocks: list[tuple[int, bool]] = []  # where each begins, and whether it is prose
        self.code: list[tuple[int, int]] = []  # verbatim spans
        self.prose = True
        self.verbatim = False

    def text(self) -> str:
        return "".join(self._pieces)

    def open_span(self) -> TextSpan:
        self._open_spans.append(span := TextSpan())
        return span

    def close_span(self, span: TextSpan) -> bool:
        """Whether there was text since; the span ends with the last of it."""
        span.end = self.length
        self._open_spans = [other for other in self._open_spans if other is not span]
        return span.start >= 0

    def soft_break(self) -> None:
        """A new block, but not between an item's mark and its first text."""
        if not self._fresh:
            self._gap = _BLANK_LINE

    def hard_break(self) -> None:
        """A new block in any case; blank lines that open it are dropped."""
        self.item("", _BLANK_LINE)

    def line_break(self) -> None:
        if not self._fresh:
            self._gap += 1 if self.verbatim or self._gap < _BLANK_LINE else 0

    def item(self, mark: str, gap: int) -> None:
        self._gap, self._mark, self._fresh = gap, mark, True

    def cell(self, *, first: bool) -> None:
        if first:
            self._fresh = True
        else:
            self.item(" | ", 0)

    def write(self, raw: str, offset: int) -> None:
        """Text of the file from an offset on."""
        line = self._lines.at(offset)
        for index, part in enumerate(raw.split("\n")):
            if self.verbatim:
                self._write_verbatim(decode_entities(part), line + index, newline=index > 0)
            else:
                self._write_flow(decode_entities(part), line + index, newline=index > 0)

    def _write_flow(self, text: str, line: int, *, newline: bool) -> None:
        """White space counts as one space, and as none at the ends of blocks."""
        self._space = self._space or newline or text[:1].isspace()
        if flat := " ".join(text.split()):
            self._put(" " if self._space else "", flat, line)
            self._space = text[-1].isspace()

    def _write_verbatim(self, text: str, line: int, *, newline: bool) -> None:
        """As written, without blank lines at the beginning."""
        if newline and not self._fresh:
            self._gap += 1
        if text:
            self._put("", text.replace("\u00a0", " "), line)

    def _put(self, space: str, text: str, line: int) -> None:
        if self._gap or self._mark or not self.length:
            space = "\n" * self._gap if self.length else ""
            if self._gap >= _BLANK_LINE or self._fresh or not self.length:
                self.blocks.append((self.length + len(space), self.prose))
        start = self.length + len(space)
        if not self.source_lines or self.source_lines[-1][1] != line:
            self.source_lines.append((start, line))
        for span in self._open_spans:
            span.start = start + len(self._mark)
        self._open_spans.clear()
        self._pieces.append(f"{space}{self._mark}{text}")
        before, self.length = self.length, start + len(self._mark) + len(text)
        if self.verbatim:
            continues = self.code and self.code[-1][1] == before
            self.code.append((self.code.pop()[0] if continues else start, self.length))
        self._gap, self._mark, self._fresh, self._space = 0, "", False, False


def decode_entities(raw: str) -> str:
    """Without character references and invisible characters."""
    if raw.isascii() and "&" not in raw:
        return raw
    try:
        text = html.unescape(raw)
    except ValueError:  # a number of more digits than Python reads
        text = raw
    return _INVISIBLE.sub("", text)
