"""One document as miners read it, and the names that its text mentions."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from docgraph.ingest.parsed_file import HeaderField, Link, ParsedFile
from docgraph.model.identifiers import NUMBERED_SERIES, looks_like_identifier, normalise_name
from docgraph.model.node import CODE
from docgraph.model.reference import Reference, ReferenceTarget

MAX_MENTIONS = 5  # of one name in one document: more show nothing new
MAX_NAME_CHARACTERS = 200  # what is longer is data and no name
_MAX_TEXT_CHARACTERS = 120
_FAMILY = rf"(?:[A-Z]{{2,10}}|(?i:{'|'.join(NUMBERED_SERIES)}))"
_NUMBERED = re.compile(
    r"(?<![\w/.-])(?=[A-Za-z]{2,10}[- ]?\d)"  # the look ahead halves the time
    rf"{_FAMILY}[- ]?\d{{1,6}}(?![\w/]|[.-]\w)"
)
_NAMED = re.compile(
    rf"`(?P<quoted>[^`\s]{{2,{MAX_NAME_CHARACTERS}}})`"
    r"|(?<![\w`./:@~-])(?P<bare>\w+(?:(?:\.|/|::)[\w~-]+)+|\w*[^\W_]_\w+|\w*[a-z0-9][A-Z]\w*)"
)
_WORD = re.compile(r"\S+")
_QUOTED_NAME = re.compile(r"[\w~][\w.~/:#-]*(?=\(|$)")
_LETTER = re.compile(r"[^\W\d_]")
Mention = tuple[str, int, int]  # a normalised name and its span


def find_numbered_documents(
    text: str, spans: Iterable[tuple[int, int]] | None = None
) -> Iterator[Mention]:
    """`ADR-012`, `PEP 484`, `RFC 9110`, in these spans."""
    for first, last in ((0, len(text)),) if spans is None else spans:
        for match in _NUMBERED.finditer(text, first, last):
            yield normalise_name(match.group()), match.start(), match.end()


def find_code_names(text: str) -> Iterator[Mention]:
    """`fetch_node`, `Engine.ask`, `src/engine/content.py`; a plain word in backticks only.

    Names contain no white space, so each distinct word is searched once: far less text.
    """
    by_word = {word: names for word in set(text.split()) if (names := _names_of(word))}
    for match in _WORD.finditer(text) if by_word else ():
        for name, start, end in by_word.get(match[0], ()):
            yield name, match.start() + start, match.start() + end


def _names_of(word: str) -> tuple[Mention, ...]:
    """Very long words are not cached: data would fill the memory."""
    return _find_names(word) if len(word) > MAX_NAME_CHARACTERS else _find_names_cached(word)


@lru_cache(2**16)  # documents of one corpus share most of their words
def _find_names_cached(word: str) -> tuple[Mention, ...]:
    return _find_names(word)


def _find_names(word: str) -> tuple[Mention, ...]:
    mentions: list[Mention] = []
    for match in _NAMED.finditer(word):
        if match["quoted"] is None:
            start, name = match.start("bare"), match["bare"].rstrip("-")
            if len(name) > MAX_NAME_CHARACTERS or not looks_like_identifier(name):
                continue
        else:
            start = match.start("quoted")
            quoted = _QUOTED_NAME.match(match["quoted"])
            if quoted is None or not _LETTER.search(quoted.group()):
                continue
            name = quoted.group()
        mentions.append((normalise_name(name), start, start + len(name)))
    return tuple(mentions)


def limit_mentions(mentions: Iterable[Mention]) -> Iterator[Mention]:
    """The first mentions of each name."""
    seen: Counter[str] = Counter()
    for name, start, end in mentions:
        seen[name] += 1
        if seen[name] <= MAX_MENTIONS:
            yield name, start, end


@dataclass(frozen=True)
class DocumentView:
    """One document as miners read it; `names` are its own names.

    `line_at` gives the line of the file for an offset in the text.
    """

    repository: str
    path: str
    parsed: ParsedFile
    names: tuple[str, ...]
    line_at: Callable[[int], int]

    @property
    def folder(self) -> str:
        return self.path.rpartition("/")[0]

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        """The first mentions of every name that a document spells as code does; code has none."""
        if self.parsed.kind == CODE:
            return ()
        return tuple(limit_mentions(find_code_names(self.parsed.text)))

    def reference(
        self,
        miner: str,
        relation: str,
        target: ReferenceTarget,
        written: Link | HeaderField,
        text: str,
    ) -> Reference:
        """What a link or header field of the document refers to."""
        return Reference(
            suffix="",
            relation=relation,
            target=target,
            start=written.start,
            end=written.end,
            line=written.line,
            text=text[:_MAX_TEXT_CHARACTERS],
            miner=miner,
        )

    def reference_at(
        self, miner: str, relation: str, key: str, start: int, end: int, text: str = ""
    ) -> Reference:
        """What a name in the text refers to: the nearest node with the key, if there is one."""
        return Reference(
            suffix="",
            relation=relation,
            target=ReferenceTarget(key, distance_weight=1, report_unresolved=False),
            start=start,
            end=end,
            line=self.line_at(start),
            text=text or self.parsed.text[start:end],
            miner=miner,
        )
