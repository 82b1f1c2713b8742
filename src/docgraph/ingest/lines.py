"""Lines of a text: from a character's offset to its line and back."""

import re
from bisect import bisect_right

_NEWLINE = re.compile("\n")


class Lines:
    """Lines count from 1 and end at a newline alone, as in every offset of this package."""

    __slots__ = ("_starts",)

    def __init__(self, text: str) -> None:
        self._starts = [0, *(match.end() for match in _NEWLINE.finditer(text))]

    def at(self, offset: int) -> int:
        return bisect_right(self._starts, offset)

    def start(self, line: int) -> int:
        """The offset of a line's first character; past the last line, that of the last."""
        return self._starts[min(line, len(self._starts)) - 1]
