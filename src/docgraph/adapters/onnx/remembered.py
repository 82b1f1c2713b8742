"""Counts of short texts, remembered within bounds."""

from collections.abc import Callable


class Remembered(dict[str, int]):
    """Counted when first asked for; begun anew when it holds `most`, nothing over `longest`.

    Threads may share it: what one of them takes away is counted again, and is the same.
    """

    def __init__(self, count: Callable[[str], int], *, most: int, longest: int) -> None:
        super().__init__()
        self._count = count
        self._most = most
        self._longest = longest

    def __missing__(self, text: str) -> int:
        found = self._count(text)
        if len(text) <= self._longest:
            if len(self) >= self._most:
                self.clear()
            self[text] = found
        return found
