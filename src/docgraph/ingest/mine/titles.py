"""Titles: a text in which another document's title stands `mentions` that document."""

import re
from collections import defaultdict
from collections.abc import Iterator

import ahocorasick

from docgraph.ingest.lines import Lines
from docgraph.ingest.mine.claims import MOST_EVIDENCE, Claim, Finding
from docgraph.ingest.mine.corpus import Corpus, Sketch
from docgraph.model.edge import Edge, Evidence
from docgraph.model.node import CODE

SHORTEST = 4
_DISAMBIGUATION = re.compile(r"\s*\([^()]*\)$")
_BLANK = str.maketrans("\n\t", "  ")


def titles(corpus: Corpus) -> Iterator[Finding]:
    """Every occurrence is claimed, also inside longer ones, also by several bearers of a title."""
    bearers = _bearers(corpus)
    if not bearers:
        return
    automaton = ahocorasick.Automaton()
    for spelling in bearers:
        automaton.add_word(spelling, spelling)
    automaton.make_automaton()
    for path, text in corpus.texts():
        sketch = corpus.by_path.get(path)
        if sketch is not None:
            yield from _mentions(sketch, text, automaton, bearers)


def spellings(title: str) -> tuple[str, ...]:
    """The title and, at rank 1, what is left without its disambiguation in brackets."""
    bare = _DISAMBIGUATION.sub("", title)
    return tuple(form for form in dict.fromkeys((title, bare)) if len(form) >= SHORTEST)


def _bearers(corpus: Corpus) -> dict[str, list[tuple[Sketch, int]]]:
    """Spelling → who bears it, and at which rank. Code is named by identifiers, not by titles."""
    found: dict[str, list[tuple[Sketch, int]]] = {}
    for sketch in corpus.sketches:
        if sketch.titled and sketch.kind != CODE:
            for rank, spelling in enumerate(spellings(sketch.title)):
                found.setdefault(spelling, []).append((sketch, rank))
    return found


def _mentions(
    sketch: Sketch,
    text: str,
    automaton: ahocorasick.Automaton,
    bearers: dict[str, list[tuple[Sketch, int]]],
) -> Iterator[Claim]:
    own = set(spellings(sketch.title))
    places: defaultdict[str, list[tuple[int, int, int]]] = defaultdict(list)
    for start, spelling in _occurrences(text, automaton):
        if spelling in own or (sketch.kind == CODE and " " not in spelling):
            continue
        for bearer, rank in bearers[spelling]:
            # matches come by their ends: an early start may still follow
            if len(places[bearer.id]) < 2 * MOST_EVIDENCE:
                places[bearer.id].append((start, start + len(spelling), rank))
    if not places:
        return
    lines = Lines(text)
    for target in sorted(places):
        for start, end, rank in sorted(places[target])[:MOST_EVIDENCE]:
            says = text[start:end].translate(_BLANK)
            evidence = Evidence(sketch.path, lines.at(start), start, end, rank, says)
            yield Claim(Edge(sketch.id, "mentions", target), evidence)


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
