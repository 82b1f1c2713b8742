"""Titles: a text in which another document's title stands `mentions` that document.

Which titles there are is not known before all documents are in, so this miner comes last: new
documents are searched for every title, older ones for titles that are new.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

import ahocorasick

from docgraph.ingest.batches import batched
from docgraph.ingest.source_text import Lines, SourceLines
from docgraph.model.link import MAX_EVIDENCE
from docgraph.model.node import CODE
from docgraph.model.reference import Reference, ReferenceTarget
from docgraph.ports.writes import CurrentText, DocumentWriter, ReferenceWriter

TITLES = "titles"
SHORTEST = 4
MOST_AT_ONCE = 50_000  # titles in one automaton; bounds the memory an ingest needs
_BATCH = 64
_DISAMBIGUATION = re.compile(r"\s*\([^()]*\)$")
_BLANK = str.maketrans("\n\t", "  ")


def title_spellings(title: str) -> tuple[str, ...]:
    """The title and what is left without its disambiguation in brackets, unless very short."""
    bare = _DISAMBIGUATION.sub("", title)
    return tuple(form for form in dict.fromkeys((title, bare)) if len(form) >= SHORTEST)


def mine_titles(documents: DocumentWriter, references: ReferenceWriter) -> None:
    """Every occurrence is claimed, also inside longer ones: the question decides."""
    known = references.titles()
    for new, titles in ((True, sorted(known)), (False, sorted(t for t in known if not known[t]))):
        for some in batched(titles, MOST_AT_ONCE):
            automaton = ahocorasick.Automaton()
            for spelling in some:
                automaton.add_word(spelling, spelling)
            automaton.make_automaton()
            _add_mentions(documents.current_texts(new=new), references, automaton)


def _add_mentions(
    texts: Iterable[CurrentText], references: ReferenceWriter, automaton: ahocorasick.Automaton
) -> None:
    for some in batched(texts, _BATCH):
        found = {text.path: tuple(mentions(text, automaton)) for text in some}
        references.add({path: own for path, own in found.items() if own})


def mentions(document: CurrentText, automaton: ahocorasick.Automaton) -> Iterator[Reference]:
    """A document's own title in its text means itself; in code, single words mean nothing."""
    own = set(title_spellings(document.title))
    places: defaultdict[str, list[int]] = defaultdict(list)
    for start, spelling in _occurrences(document.text, automaton):
        if spelling in own or (document.kind == CODE and " " not in spelling):
            continue
        if len(places[spelling]) < MAX_EVIDENCE:
            places[spelling].append(start)
    if places:
        yield from _claims(document, places.items())


def _claims(document: CurrentText, places: Iterable[tuple[str, list[int]]]) -> Iterator[Reference]:
    mapped = document.source_lines
    lines = SourceLines(mapped) if mapped else Lines(document.text)
    for spelling, starts in places:
        for start in starts:
            yield Reference(
                suffix="",
                relation="mentions",
                target=ReferenceTarget(f"title:{spelling}", reported=False),
                start=start,
                end=start + len(spelling),
                line=lines.at(start),
                text=spelling,
                miner=TITLES,
            )


def _occurrences(text: str, automaton: ahocorasick.Automaton) -> Iterator[tuple[int, str]]:
    """Whole words only; a line's end counts as the space between two words of a title."""
    for last, spelling in automaton.iter(text.translate(_BLANK)):
        start, end = last - len(spelling) + 1, last + 1
        if not (_word(text, start - 1) and _word(text, start)) and not (
            _word(text, end) and _word(text, last)
        ):
            yield start, spelling


def _word(text: str, at: int) -> bool:
    return 0 <= at < len(text) and (text[at].isalnum() or text[at] == "_")
