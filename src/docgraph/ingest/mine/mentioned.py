"""Identifiers in a text: numbered documents, paths, and names as code spells them."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache

from docgraph.model.names import FAMILIES, looks_like_identifier, normalised

MOST_PLACES = 5  # of one name in one document: more show nothing new
LONGEST = 200  # what is longer is data and no name
_FAMILY = rf"(?:[A-Z]{{2,10}}|(?i:{'|'.join(FAMILIES)}))"
_NUMBERED = re.compile(
    r"(?<![\w/.-])(?=[A-Za-z]{2,10}[- ]?\d)"  # the look ahead halves the time
    rf"{_FAMILY}[- ]?\d{{1,6}}(?![\w/]|[.-]\w)"
)
_NAMED = re.compile(
    rf"`(?P<quoted>[^`\s]{{2,{LONGEST}}})`"
    r"|(?<![\w`./:@~-])(?P<bare>\w+(?:(?:\.|/|::)[\w~-]+)+|\w*[^\W_]_\w+|\w*[a-z0-9][A-Z]\w*)"
)
_WORD = re.compile(r"\S+")
_QUOTED_NAME = re.compile(r"[\w~][\w.~/:#-]*(?=\(|$)")
_LETTER = re.compile(r"[^\W\d_]")
Found = Iterator[tuple[str, int, int]]


def numbered(text: str, spans: Iterable[tuple[int, int]] | None = None) -> Found:
    """`ADR-012`, `PEP 484`, `RFC 9110`: normalised, with their places, in these spans."""
    for first, last in ((0, len(text)),) if spans is None else spans:
        for match in _NUMBERED.finditer(text, first, last):
            yield normalised(match.group()), match.start(), match.end()


def named(text: str) -> Found:
    """`fetch_node`, `Engine.ask`, `src/engine.py`; a plain word in backticks only.

    Names hold no blank, so each distinct word is looked at once, and that is far less text.
    """
    telling = {word: found for word in set(text.split()) if (found := _names_of(word))}
    for match in _WORD.finditer(text) if telling else ():
        for name, start, end in telling.get(match[0], ()):
            yield name, match.start() + start, match.start() + end


def _names_of(word: str) -> tuple[tuple[str, int, int], ...]:
    """Nothing very long is remembered: data would fill the memory."""
    return _names_in(word) if len(word) > LONGEST else _remembered(word)


@lru_cache(2**16)  # documents of one corpus share most of their words
def _remembered(word: str) -> tuple[tuple[str, int, int], ...]:
    return _names_in(word)


def _names_in(word: str) -> tuple[tuple[str, int, int], ...]:
    found: list[tuple[str, int, int]] = []
    for match in _NAMED.finditer(word):
        if match["quoted"] is None:
            start, name = match.start("bare"), match["bare"].rstrip("-")
            if len(name) > LONGEST or not looks_like_identifier(name):
                continue
        else:
            start = match.start("quoted")
            quoted = _QUOTED_NAME.match(match["quoted"])
            if quoted is None or not _LETTER.search(quoted.group()):
                continue
            name = quoted.group()
        found.append((normalised(name), start, start + len(name)))
    return tuple(found)


def few(found: Found) -> Found:
    """The first places of each name."""
    seen: Counter[str] = Counter()
    for name, start, end in found:
        seen[name] += 1
        if seen[name] <= MOST_PLACES:
            yield name, start, end
