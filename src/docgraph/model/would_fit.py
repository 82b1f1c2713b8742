"""Saying what would fit in place of an unknown name."""

from collections.abc import Collection
from difflib import get_close_matches


def would_fit(name: str, known: Collection[str]) -> str:
    """The closest known name, or all of them when none is close."""
    close = get_close_matches(name, known, n=1)
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(known)}"
