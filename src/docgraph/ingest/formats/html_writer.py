"""Clean text out of HTML's words: blocks, items and cells, and the line each came from."""

import html
import re
from dataclasses import dataclass

from docgraph.ingest.source_text import Lines

_BLANK_LINE = 2
_UNSEEN = re.compile("[\u00ad\u200b\ufeff]")  # where a word may be broken


@dataclass(slots=True)
class Span:
    """From the first words after it was asked for; -1 as long as there are none."""

    start: int = -1
    end: int = -1


class Writer:
    """Blank space is owed until words come, so that none stands at the ends of a text."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._pieces: list[str] = []
        self._gap = 0  # line ends owed before the next words
        self._mark = ""  # what opens the next words, as `- ` does an item
        self._fresh = False  # an item or cell was opened, and nothing stands in it yet
        self._space = False
        self._awaited: list[Span] = []
        self.length = 0
        self.source_lines: list[tuple[int, int]] = []
        self.blocks: list[tuple[int, bool]] = []  # where each begins, and whether it is prose
        self.code: list[tuple[int, int]] = []  # what was kept as it stands
        self.prose = True
        self.verbatim = False

    def text(self) -> str:
        return "".join(self._pieces)

    def awaiting(self) -> Span:
        self._awaited.append(span := Span())
        return span

    def complete(self, span: Span) -> bool:
        """Whether words came; the last of them end the span."""
        span.end = self.length
        self._awaited = [other for other in self._awaited if other is not span]
        return span.start >= 0

    def soft_break(self) -> None:
        """A new block, but not between an item's mark and its first words."""
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
        """Characters of the file from an offset on."""
        line = self._lines.at(offset)
        for index, part in enumerate(raw.split("\n")):
            if self.verbatim:
                self._keep(readable(part), line + index, newline=index > 0)
            else:
                self._flow(readable(part), line + index, newline=index > 0)

    def _flow(self, said: str, line: int, *, newline: bool) -> None:
        """Blank space counts as one space, and as none at the ends of blocks."""
        self._space = self._space or newline or said[:1].isspace()
        if flat := " ".join(said.split()):
            self._put(" " if self._space else "", flat, line)
            self._space = said[-1].isspace()

    def _keep(self, said: str, line: int, *, newline: bool) -> None:
        """As it stands, but for blank lines before all words."""
        if newline and not self._fresh:
            self._gap += 1
        if said:
            self._put("", said.replace("\u00a0", " "), line)

    def _put(self, space: str, said: str, line: int) -> None:
        if self._gap or self._mark or not self.length:
            space = "\n" * self._gap if self.length else ""
            if self._gap >= _BLANK_LINE or self._fresh or not self.length:
                self.blocks.append((self.length + len(space), self.prose))
        start = self.length + len(space)
        if not self.source_lines or self.source_lines[-1][1] != line:
            self.source_lines.append((start, line))
        for span in self._awaited:
            span.start = start + len(self._mark)
        self._awaited.clear()
        self._pieces.append(f"{space}{self._mark}{said}")
        before, self.length = self.length, start + len(self._mark) + len(said)
        if self.verbatim:
            goes_on = self.code and self.code[-1][1] == before
            self.code.append((self.code.pop()[0] if goes_on else start, self.length))
        self._gap, self._mark, self._fresh, self._space = 0, "", False, False


def readable(raw: str) -> str:
    """Without character references and without characters that nobody sees."""
    if raw.isascii() and "&" not in raw:
        return raw
    try:
        said = html.unescape(raw)
    except ValueError:  # a number of more digits than Python reads
        said = raw
    return _UNSEEN.sub("", said)
