"""Decodes a file into text, and finds the line and page of an offset in it."""

import codecs
from bisect import bisect_right

import numpy as np

from docgraph.ingest.parsed_file import ParsedFile
from docgraph.model.node import Location
from docgraph.ports.source import SourceProblem


def decode(path: str, data: bytes, declared: str = "") -> str | SourceProblem:
    """As UTF-8 without a byte order mark; lines end in a newline alone.

    Nothing is guessed or replaced: other bytes are a problem that names their position.
    `declared` is the charset that the file itself declares, by Python's name.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return SourceProblem(path, "UTF-16, not UTF-8; save it as UTF-8")
    if (position := data.find(b"\0")) >= 0:
        return SourceProblem(path, f"binary: a NUL at byte {position}")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if declared:
            return _decode_declared(path, data, declared)
        # utf-8-sig counts from behind the byte order mark
        skipped = len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0
        position = error.start + skipped
        return SourceProblem(path, f"not UTF-8: 0x{data[position]:02x} at byte {position}")
    return normalise_newlines(text)


def has_word(text: str) -> bool:
    """Whether it has a letter or digit: a line of `=====` is no title."""
    return any(map(str.isalnum, text))


def normalise_newlines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _decode_declared(path: str, data: bytes, charset: str) -> str | SourceProblem:
    try:
        return normalise_newlines(data.decode(charset))
    except UnicodeDecodeError as error:
        wrong = f"0x{data[error.start]:02x} at byte {error.start}"
        return SourceProblem(path, f"neither UTF-8 nor {charset}, as it declares: {wrong}")


_NEWLINE = ord("\n")


class Lines:
    """Lines count from 1 and end at a newline alone, as everywhere in this package."""

    __slots__ = ("_starts",)

    def __init__(self, text: str) -> None:
        characters = np.frombuffer(text.encode("utf-32-le"), dtype=np.dtype("<u4"))
        self._starts = [0, *(np.flatnonzero(characters == _NEWLINE) + 1).tolist()]

    def at(self, offset: int) -> int:
        return bisect_right(self._starts, offset)

    def start(self, line: int) -> int:
        """The offset of a line's first character; past the last line, that of the last."""
        return self._starts[min(line, len(self._starts)) - 1]


class SourceLines:
    """Lines of the file that a text was made of, by the pairs of `ParsedFile.source_lines`."""

    __slots__ = ("_lines", "_offsets")

    def __init__(self, pairs: tuple[tuple[int, int], ...]) -> None:
        self._offsets = [offset for offset, _ in pairs]
        self._lines = [line for _, line in pairs]

    def at(self, offset: int) -> int:
        """Before the first pair there is only white space: it has the line of the first text."""
        return self._lines[max(bisect_right(self._offsets, offset) - 1, 0)]


class Positions:
    """The lines and pages of a file by offsets in its parsed text."""

    __slots__ = ("_lines", "_pages")

    def __init__(self, parsed: ParsedFile) -> None:
        mapped = parsed.source_lines
        self._lines = SourceLines(mapped) if mapped else Lines(parsed.text)
        self._pages = parsed.pages

    def at(self, offset: int) -> int:
        return self._lines.at(offset)

    def page(self, offset: int) -> int | None:
        """Pages and cells count from 1; an empty one has no characters."""
        return max(bisect_right(self._pages, offset), 1) if self._pages else None

    def location(self, path: str, start: int, end: int) -> Location:
        last = max(start, end - 1)
        return Location(path, self.at(start), self.at(last), start, end, self.page(start))
