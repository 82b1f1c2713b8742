"""A sketch: one document as miners see it, before anyone knows what else there is."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from docgraph.ingest.parsed_file import HeaderField, Link, ParsedFile
from docgraph.model.identifiers import NUMBERED_SERIES, looks_like_identifier, normalise_name
from docgraph.model.node import CODE
from docgraph.model.reference import Reference

# Identifiers in a text: numbered documents, paths, and names as code spells them.


MOST_PLACES = 5  # of one name in one document: more show nothing new
LONGEST = 200  # what is longer is data and no name
_FAMILY = rf"(?:[A-Z]{{2,10}}|(?i:{'|'.join(NUMBERED_SERIES)}))"
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
            yield normalise_name(match.group()), match.start(), match.end()


def named(text: str) -> Found:
    """`fetch_node`, `Engine.ask`, `src/engine/content.py`; a plain word in backticks only.

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
        found.append((normalise_name(name), start, start + len(name)))
    return tuple(found)


def first_mentions(found: Found) -> Found:
    """The first places of each name."""
    seen: Counter[str] = Counter()
    for name, start, end in found:
        seen[name] += 1
        if seen[name] <= MOST_PLACES:
            yield name, start, end


_LONGEST_SAYING = 120


@dataclass(frozen=True)
class DocumentView:
    """`nodes` are the ids of the document and of its parts, in order; `names` its own names.

    `line_at` gives the line of the file for an offset in the text.
    """

    repository: str
    path: str
    parsed: ParsedFile
    nodes: tuple[str, ...]
    names: tuple[str, ...]
    line_at: Callable[[int], int]

    @property
    def id(self) -> str:
        return self.nodes[0]

    @property
    def folder(self) -> str:
        return self.path.rpartition("/")[0]

    @cached_property
    def named(self) -> tuple[tuple[str, int, int], ...]:
        """The first places of every name that a document spells as code does; code has none."""
        return () if self.parsed.kind == CODE else tuple(first_mentions(named(self.parsed.text)))

    def claim(
        self,
        miner: str,
        relation: str,
        key: str,
        place: Link | HeaderField,
        *,
        says: str,
        inner: str = "",
        strict: bool = False,
        rank: int = 0,
        near: int = 0,
        reported: bool = True,
    ) -> Reference:
        """The document's own claim, at a place in its text."""
        return Reference(
            source=self.id,
            relation=relation,
            key=key,
            start=place.start,
            end=place.end,
            line=place.line,
            says=says[:_LONGEST_SAYING],
            miner=miner,
            inner=inner,
            strict=strict,
            rank=rank,
            near=near,
            reported=reported,
        )

    def reference_at(
        self, miner: str, relation: str, key: str, start: int, end: int, says: str = ""
    ) -> Reference:
        """A name in the text: the nearest who offers it is meant; nobody need be."""
        return Reference(
            source=self.id,
            relation=relation,
            key=key,
            start=start,
            end=end,
            line=self.line_at(start),
            says=says or self.parsed.text[start:end],
            miner=miner,
            near=1,
            reported=False,
        )
