"""Pages or cells one after another, and where each of them begins."""

from collections.abc import Sequence

_BETWEEN = "\n\n"


def paged(texts: Sequence[str]) -> tuple[str, tuple[int, ...]]:
    """An empty page has no place: it begins where the next one does, or the text ends."""
    starts: list[int] = []
    at = 0
    for text in texts:
        starts.append(at)
        at += len(text) + len(_BETWEEN) if text else 0
    whole = _BETWEEN.join(filter(None, texts))
    return whole, tuple(min(start, len(whole)) for start in starts)


def page_borders(starts: Sequence[int]) -> tuple[int, ...]:
    return tuple(sorted({start for start in starts if start}))
