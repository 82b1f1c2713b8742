"""Titles that a question names: which words of it could be one, and which of them win."""

import re
from collections import Counter
from collections.abc import Sequence

SHORTEST = 4
LONGEST = 10  # words in a title
MOST = 300  # spans that are looked up
NAMESAKES = 8  # a title that more visible documents bear names none of them

_WORD = re.compile(r"\w+")
Span = tuple[int, int]


def spans(question: str) -> dict[str, list[Span]]:
    """Whole words in a row that begin with a capital or a digit, and where each stands."""
    words = [match.span() for match in _WORD.finditer(question)]
    found: dict[str, list[Span]] = {}
    for at, (start, _) in enumerate(words):
        if not (question[start].isupper() or question[start].isdigit()):
            continue
        for _, end in words[at : at + LONGEST]:
            if end - start >= SHORTEST and (len(found) < MOST or question[start:end] in found):
                found.setdefault(question[start:end], []).append((start, end))
    return found


def named(places: dict[str, list[Span]], bearers: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Documents with the title that names each: one that stands outside every longer one.

    `bearers` are (title, document), of those that the reader sees.
    """
    many = Counter(title for title, _ in bearers)
    taken = [place for title in many for place in places[title]]
    won = {
        title
        for title in many
        if many[title] <= NAMESAKES and any(_outside(place, taken) for place in places[title])
    }
    found: dict[str, str] = {}
    for title, document in bearers:
        if title in won:
            found.setdefault(document, title)
    return found


def _outside(place: Span, others: Sequence[Span]) -> bool:
    start, end = place
    return not any(
        begin <= start and end <= stop and (begin, stop) != place for begin, stop in others
    )
