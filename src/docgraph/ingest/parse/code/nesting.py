"""Nested spans: which is the innermost that holds a place."""

from bisect import bisect_right
from collections.abc import Sequence

OUTSIDE = -1


class Nesting:
    """Spans sorted by start, the longer first, each inside or beside every other."""

    __slots__ = ("_owners", "_places", "parents")

    def __init__(self, spans: Sequence[tuple[int, int]]) -> None:
        self._places: list[int] = []
        self._owners: list[int] = []
        self.parents: list[int] = []
        opened: list[int] = []
        for index, (start, _) in enumerate(spans):
            while opened and spans[opened[-1]][1] <= start:
                self._close(opened, spans)
            self.parents.append(opened[-1] if opened else OUTSIDE)
            opened.append(index)
            self._places.append(start)
            self._owners.append(index)
        while opened:
            self._close(opened, spans)

    def _close(self, opened: list[int], spans: Sequence[tuple[int, int]]) -> None:
        self._places.append(spans[opened.pop()][1])
        self._owners.append(opened[-1] if opened else OUTSIDE)

    def at(self, place: int) -> int:
        """The index of the innermost span that holds the place, or OUTSIDE."""
        found = bisect_right(self._places, place) - 1
        return self._owners[found] if found >= 0 else OUTSIDE
