"""The miner of titles: a text with another document's title in it `mentions` that document.

All titles are known only after all documents are written, so this miner comes last: new documents
are searched for every title, older ones for new titles.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Protocol, TypeVar

import ahocorasick

from docgraph.ingest.source_text import Lines, SourceLines, has_word
from docgraph.model.link import MAX_EVIDENCE
from docgraph.model.node import CODE
from docgraph.model.reference import Reference, ReferenceTarget
from docgraph.ports.writes import CurrentText, DocumentWriter, ReferenceWriter

TITLES = "titles"
MIN_TITLE_CHARACTERS = 4
MAX_TITLES = 50_000  # in one automaton; limits the memory of an ingest
_BATCH_DOCUMENTS = 64
_T = TypeVar("_T")
_DISAMBIGUATION = re.compile(r"(?<!\s)\s*+\([^()]*+\)$")
_BLANK = str.maketrans("\n\t", "  ")


def title_spellings(title: str) -> tuple[str, ...]:
    """The title, and the title without its disambiguation in brackets, unless very short or without
    a word."""
    forms = dict.fromkeys((title, _DISAMBIGUATION.sub("", title)))
    return tuple(form for form in forms if len(form) >= MIN_TITLE_CHARACTERS and has_word(form))


class SearchObserver(Protocol):
    """Gets how far the search for titles is."""

    def begin(self, new: int, unchanged: int) -> None:
        """How often texts that are new, and unchanged ones, will be searched."""
        ...

    def searched(self, path: str) -> None: ...


class _NoObserver:
    def begin(self, new: int, unchanged: int) -> None: ...

    def searched(self, path: str) -> None: ...


_NO_OBSERVER: SearchObserver = _NoObserver()


def mine_titles(
    documents: DocumentWriter,
    references: ReferenceWriter,
    observer: SearchObserver = _NO_OBSERVER,
) -> None:
    """Every occurrence is a reference, also inside longer ones; ambiguity is resolved later."""
    known = references.titles()
    all_titles = list(split_batches(sorted(known), MAX_TITLES))
    new_titles = list(split_batches(sorted(t for t in known if not known[t]), MAX_TITLES))
    observer.begin(len(all_titles), len(new_titles))
    for new, batches in ((True, all_titles), (False, new_titles)):
        for some in batches:
            automaton = ahocorasick.Automaton()
            for spelling in some:
                automaton.add_word(spelling, spelling)
            automaton.make_automaton()
            _add_mentions(documents.current_texts(new=new), references, automaton, observer)


def _add_mentions(
    texts: Iterable[CurrentText],
    references: ReferenceWriter,
    automaton: ahocorasick.Automaton,
    observer: SearchObserver,
) -> None:
    for some in split_batches(texts, _BATCH_DOCUMENTS):
        mentions: dict[str, tuple[Reference, ...]] = {}
        for text in some:
            if own := tuple(find_mentions(text, automaton)):
                mentions[text.path] = own
            observer.searched(text.path)
        references.add(mentions)


def find_mentions(document: CurrentText, automaton: ahocorasick.Automaton) -> Iterator[Reference]:
    """A document's own title in its text means itself; in code, single words mean nothing."""
    own = set(title_spellings(document.title))
    starts: defaultdict[str, list[int]] = defaultdict(list)
    for start, spelling in _find_occurrences(document.text, automaton):
        if spelling in own or (document.kind == CODE and " " not in spelling):
            continue
        if len(starts[spelling]) < MAX_EVIDENCE:
            starts[spelling].append(start)
    if starts:
        yield from _make_references(document, starts)


def _make_references(
    document: CurrentText, starts_of: Mapping[str, list[int]]
) -> Iterator[Reference]:
    mapped = document.source_lines
    lines = SourceLines(mapped) if mapped else Lines(document.text)
    for spelling, starts in starts_of.items():
        for start in starts:
            yield Reference(
                suffix="",
                relation="mentions",
                target=ReferenceTarget(f"title:{spelling}", report_unresolved=False),
                start=start,
                end=start + len(spelling),
                line=lines.at(start),
                text=spelling,
                miner=TITLES,
            )


def _find_occurrences(text: str, automaton: ahocorasick.Automaton) -> Iterator[tuple[int, str]]:
    """Whole words only; a line's end counts as the space between two words of a title."""
    for last, spelling in automaton.iter(text.translate(_BLANK)):
        start, end = last - len(spelling) + 1, last + 1
        if not (_is_word(text, start - 1) and _is_word(text, start)) and not (
            _is_word(text, end) and _is_word(text, last)
        ):
            yield start, spelling


def _is_word(text: str, at: int) -> bool:
    return 0 <= at < len(text) and (text[at].isalnum() or text[at] == "_")


def split_batches(items: Iterable[_T], size: int) -> Iterator[tuple[_T, ...]]:
    pending = iter(items)
    while batch := tuple(islice(pending, size)):
        yield batch
