"""Lines of a text: from a character's offset to its line and back."""

from bisect import bisect_right

import numpy as np

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
