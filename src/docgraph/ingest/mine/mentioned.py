"""Identifiers in a text: numbered documents, paths, and names as code spells them."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from docgraph.model.names import FAMILIES, looks_like_identifier, normalised

MOST_PLACES = 5  # of one name in one document: more show nothing new
_FAMILY = rf"(?:[A-Z]{{2,10}}|(?i:{'|'.join(FAMILIES)}))"
_NUMBERED = re.compile(
    r"(?<![\w/.-])(?=[A-Za-z]{2,10}[- ]?\d)"  # the look ahead halves the time
    rf"{_FAMILY}[- ]?\d{{1,6}}(?![\w/]|[.-]\w)"
)
_NAMED = re.compile(
    r"`(?P<quoted>[^`\s]{2,200})`"
    r"|(?<![\w`./:@-])(?P<bare>\w+(?:(?:\.|/|::)[\w~-]+)+|\w*[^\W_]_\w+|\w*[a-z0-9][A-Z]\w*)"
)
_QUOTED_NAME = re.compile(r"[\w~][\w.~/:#-]*(?=\(|$)")
_LETTER = re.compile(r"[^\W\d_]")
Found = Iterator[tuple[str, int, int]]


def numbered(text: str, spans: Iterable[tuple[int, int]] | None = None) -> Found:
    """`ADR-012`, `PEP 484`, `RFC 9110`: normalised, with their places, in these spans."""
    for first, last in ((0, len(text)),) if spans is None else spans:
        for match in _NUMBERED.finditer(text, first, last):
            yield normalised(match.group()), match.start(), match.end()


def named(text: str) -> Found:
    """`fetch_node`, `Engine.ask`, `src/engine.py`; a plain word in backticks only."""
    for match in _NAMED.finditer(text):
        if match["quoted"] is None:
            start, whole = match.start("bare"), match["bare"]
            name = whole.rstrip("-")
            if not looks_like_identifier(name):
                continue
        else:
            start = match.start("quoted")
            found = _QUOTED_NAME.match(match["quoted"])
            if found is None or not _LETTER.search(found.group()):
                continue
            name = found.group()
        yield normalised(name), start, start + len(name)


def few(found: Found) -> Found:
    """The first places of each name."""
    seen: Counter[str] = Counter()
    for name, start, end in found:
        seen[name] += 1
        if seen[name] <= MOST_PLACES:
            yield name, start, end
