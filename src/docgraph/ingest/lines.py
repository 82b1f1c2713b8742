"""Lines of a text, and places in a file: from a character's offset to where it stands."""

from bisect import bisect_right

import numpy as np

from docgraph.ingest.parsed import Parsed
from docgraph.model.node import Location

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


class Places:
    """Where the characters of a parsed text stand in its file: on which line, on which page."""

    __slots__ = ("_lines", "_pages")

    def __init__(self, parsed: Parsed) -> None:
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
