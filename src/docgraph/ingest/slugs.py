"""Slugs: headings as anchors, the way GitHub makes them."""

import re

_DROPPED = re.compile(r"[^\w\- ]")
_LONGEST = 200


def slug(heading: str) -> str:
    kept = _DROPPED.sub("", heading.strip().lower()).replace(" ", "-")
    return kept[:_LONGEST] or "section"


class Slugs:
    """Hands out each anchor once: a repeated heading gets `-1`, `-2` in document order."""

    __slots__ = ("_next", "_taken")

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}

    def take(self, heading: str) -> str:
        plain = found = slug(heading)
        while found in self._taken:
            self._next[plain] = self._next.get(plain, 0) + 1
            found = f"{plain}-{self._next[plain]}"
        self._taken.add(found)
        return found
