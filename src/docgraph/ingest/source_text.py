"""Bytes to text: UTF-8 without BOM, with newlines alone at the ends of lines."""

import codecs
from bisect import bisect_right

import numpy as np

from docgraph.ingest.parsed_file import ParsedFile
from docgraph.model.node import Location
from docgraph.ports.source import SourceProblem


def decode(path: str, data: bytes, declared: str = "") -> str | SourceProblem:
    """Nothing is guessed or replaced: what is not UTF-8 text is named with its place.

    `declared` is the charset that a file which is not UTF-8 gives itself, by Python's name.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return SourceProblem(path, "UTF-16, not UTF-8; save it as UTF-8")
    if (place := data.find(b"\0")) >= 0:
        return SourceProblem(path, f"binary: a NUL at byte {place}")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if declared:
            return _as_declared(path, data, declared)
        # utf-8-sig counts from behind the mark
        skipped = len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0
        place = error.start + skipped
        return SourceProblem(path, f"not UTF-8: 0x{data[place]:02x} at byte {place}")
    return with_newlines(text)


def with_newlines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _as_declared(path: str, data: bytes, charset: str) -> str | SourceProblem:
    try:
        return with_newlines(data.decode(charset))
    except UnicodeDecodeError as error:
        wrong = f"0x{data[error.start]:02x} at byte {error.start}"
        return SourceProblem(path, f"neither UTF-8 nor {charset}, as it declares: {wrong}")


# Lines of a text, and places in a file: from a character's offset to where it stands.


_NEWLINE = ord("\n")


class Lines:
    """Lines count from 1 and end at a newline alone, as in every offset of this package."""

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
    """Lines of the file that a text was made of, by the pairs of `Parsed.source_lines`."""

    __slots__ = ("_lines", "_offsets")

    def __init__(self, pairs: tuple[tuple[int, int], ...]) -> None:
        self._offsets = [offset for offset, _ in pairs]
        self._lines = [line for _, line in pairs]

    def at(self, offset: int) -> int:
        """Before the first pair there is only blank space: it stands where the text begins."""
        return self._lines[max(bisect_right(self._offsets, offset) - 1, 0)]


class Positions:
    """Where the characters of a parsed text stand in its file: on which line, on which page."""

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
