"""Comments of a file of code: their text, and which definition a comment documents."""

import re
from bisect import bisect_left, bisect_right

from docgraph.ingest.languages.language import Language, Span
from docgraph.ingest.languages.source import SourceCode

_MAX_GAP_BYTES = 200
_MAX_COMMENT_CHARACTERS = 2_000  # enough for a lead, which is a summary
_BLANK_LINE = re.compile(rb"\n[ \t\r]*\n")
_TAG = re.compile(r"</?[A-Za-z][^<>\n]*>")
_FIRST_BLOCK_TAG = re.compile(r"(?m)^[ \t]*@\w")
_LICENCE = re.compile(r"(?i)copyright|licen[cs]e|spdx|@preserve|eslint|jshint")


class Comments:
    """Comments in runs: line comments below each other are one."""

    def __init__(self, language: Language, source: SourceCode) -> None:
        self._source = source
        self._marks = tuple(mark.encode() for mark in language.doc_marks)
        self.has_marks = bool(self._marks)
        self.spans = [(n.start_byte, n.end_byte) for n in source.nodes("comment")]
        self._runs = _join_runs(source.data, self.spans) if self._marks else []
        self._ends = [end for _, end in self._runs]

    def before(self, start: int) -> Span | None:
        """The comment that documents what starts there: right above it, with no blank line."""
        at = bisect_right(self._ends, start) - 1
        if at < 0 or not self._source.data.startswith(self._marks, self._runs[at][0]):
            return None
        return self._runs[at] if is_small_gap(self._source.data, self._ends[at], start) else None

    def header(self) -> Span | None:
        """The comment at the top of the file, unless it is a licence."""
        if not self._runs or self._runs[0][0] > self.first_code():
            return None
        return None if _LICENCE.search(self._source.text_at(*self._runs[0])) else self._runs[0]

    def first_code(self) -> int:
        """The first byte that is neither white space nor in a comment."""
        data = self._source.data
        at = max(0, data.find(b"\n")) if data.startswith(b"#!") else 0
        for start, end in self.spans:
            if data[at:start].strip():
                break
            at = max(at, end)
        return at + len(data[at:]) - len(data[at:].lstrip())

    def without(self, start: int, end: int) -> str:
        """The text from start to end without its comments."""
        texts, at = [], start
        for index in range(bisect_left(self.spans, (start,)), len(self.spans)):
            first, last = self.spans[index]
            if first >= end:
                break
            texts.append(self._source.data[at:first])
            at = last
        return b" ".join([*texts, self._source.data[at:end]]).decode(errors="ignore")


def comment_text(comment: str) -> str:
    """Without comment marks, markup, and all from the first `@tag` on."""
    lines = comment[:_MAX_COMMENT_CHARACTERS].splitlines()
    text = "\n".join(_strip_marks(line.strip()) for line in lines)
    summary, closing, _ = text.partition("<summary>")[2].partition("</summary>")
    text = summary if closing else text
    if "<" in text:
        text = _TAG.sub("", text)
    tag = _FIRST_BLOCK_TAG.search(text) if "@" in text else None
    before = text[: tag.start()].strip() if tag else ""
    return before or text.strip()


def _strip_marks(line: str) -> str:
    if line.startswith("/*"):
        line = line[1:]
    if line.endswith("*/"):
        line = line[:-2].rstrip("*")
    for mark in ("*", "/", "--"):
        if line.startswith(mark):
            return line.lstrip(mark + "!").strip()
    return line.strip()


def is_small_gap(data: bytes, start: int, end: int) -> bool:
    gap = data[start:end] if end - start <= _MAX_GAP_BYTES else b"x"
    return not gap.strip() and not _BLANK_LINE.search(gap)


def _join_runs(data: bytes, spans: list[Span]) -> list[Span]:
    """A comment behind code on one line documents that code and joins no run."""
    runs: list[Span] = []
    mark = b""
    for start, end in spans:
        if data[max(0, start - _MAX_GAP_BYTES) : start].rpartition(b"\n")[2].strip():
            mark = b""
            continue
        before, mark = mark, data[start : start + 2]
        joins = mark == before and mark in {b"//", b"--"}
        if joins and is_small_gap(data, runs[-1][1], start):
            runs[-1] = (runs[-1][0], end)
        else:
            runs.append((start, end))
    return runs
