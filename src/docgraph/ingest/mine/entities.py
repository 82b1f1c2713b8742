"""Entities: the names that stand in one document's text, by a fixed rule and no model."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from unicodedata import normalize

from docgraph.ingest.mine.name_runs import Run, may_begin, may_end, runs

LONGEST_WHOLE = 4
SHORTEST_WORD = 5
SHORTEST_ACRONYM = 3
LONGEST_NAME = 80
_POSSESSIVE = ("'s", "\u2019s")
_ROMAN = frozenset("IVX")
_PLAIN = str.maketrans("\u2019\u2010", "'-")

Place = tuple[int, int]
Alone = tuple[str, Run, int]


def entities(
    text: str, spans: Iterable[tuple[int, int]] | None = None
) -> list[tuple[str, int, int]]:
    """Each name once, with its first place, in the order of the places.

    Two to four capitalised words in a row are a name; of a longer row, every two neighbours. An
    acronym is a name. Any other single word is one if it stands alone twice, at least once inside
    a sentence, and is part of no longer name. No other document has a say.
    """
    first: dict[str, Place] = {}
    alone: list[Alone] = []
    for run in runs(text, ((0, len(text)),) if spans is None else sorted(spans)):
        for start, end in _parts(run.words):
            words = run.words[start:end]
            name = _normalised(words)
            if len(words) == 1 and not _is_acronym(name):
                alone.append((name, run, start))
            elif name not in first and (len(words) == 1 or not _is_shouted(words)):
                first[name] = _place(text, run, start, end)
    for name, run, start in _single_names(alone, first):
        first.setdefault(name, _place(text, run, start, start + 1))
    found = ((name, *place) for name, place in first.items() if len(name) <= LONGEST_NAME)
    return sorted(found, key=lambda name: (name[1:], name[0]))


def _single_names(alone: Sequence[Alone], longer: Iterable[str]) -> Iterator[Alone]:
    times = Counter(name for name, _, _ in alone)
    inside = {name for name, run, start in alone if start or not run.opens}
    parts = {word for name in longer for word in name.split()}
    for name, run, start in alone:
        if len(name) >= SHORTEST_WORD and times[name] > 1 and name in inside and name not in parts:
            yield name, run, start


def _parts(words: Sequence[str]) -> Iterable[Place]:
    """Which words of a run to take for a name, as [start, end)."""
    start, end = 0, len(words)
    while start < end and not may_begin(words[start]):
        start += 1
    while start < end and not may_end(words[end - 1]):
        end -= 1
    if end - start > LONGEST_WHOLE:
        return _pairs(words, start, end)
    return ((start, end),) if start < end else ()


def _pairs(words: Sequence[str], start: int, end: int) -> Iterator[Place]:
    """Neighbours, but for a given name with the middle initial alone."""
    for at in range(start, end - 1):
        second = words[at + 1]
        if may_begin(words[at]) and may_end(second) and not second.endswith("."):
            yield at, at + 2


def _is_shouted(words: Sequence[str]) -> bool:
    return all(word.isupper() for word in words)


def _is_acronym(name: str) -> bool:
    letters = name.replace(".", "")
    return len(letters) >= SHORTEST_ACRONYM and name.isupper() and not _ROMAN.issuperset(letters)


def _normalised(words: Sequence[str]) -> str:
    name = _bare(" ".join(words))
    return name if name.isascii() else normalize("NFKC", name).translate(_PLAIN)


def _bare(word: str) -> str:
    return (word[:-2] if word.endswith(_POSSESSIVE) else word).rstrip(".")


def _place(text: str, run: Run, start: int, end: int) -> Place:
    at, begins = run.start, run.start
    for position, word in enumerate(run.words[:end]):
        at = text.index(word, at)
        if position == start:
            begins = at
        at += len(word)
    last = run.words[end - 1]
    return begins, at - len(last) + len(_bare(last))
