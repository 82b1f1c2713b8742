"""Chunks: a document's text in passages, each inside exactly one node."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice, pairwise

from semantic_text_splitter import TextSplitter

from docgraph.ingest.parsed_file import ParsedFile
from docgraph.ingest.source_text import Positions
from docgraph.model.document import Chunk
from docgraph.model.node import chunk_id

SIZE = 800
_LONGEST_STRETCH = 8_000  # the splitter's time grows with the square of an unbroken stretch
_WORD = re.compile(r"\w+")
_BREAKS = ("\n\n", "\n", " ")


@cache
def _splitter(size: int) -> TextSplitter:
    return TextSplitter(size)


def chunks(
    path: str, parsed: ParsedFile, root: str, parts: Sequence[str], size: int = SIZE
) -> tuple[Chunk, ...]:
    """In document order. `root` is the document's id, `parts` are those of its parts."""
    places = Positions(parsed)
    headings = heading_paths(parsed)
    made: list[Chunk] = []
    for owner, begin, end in informative_regions(parsed):
        node = root if owner is None else parts[owner]
        for start, text in _passages(parsed.text[begin:end], size):
            first, last = begin + start, begin + start + len(text)
            where = places.location(path, first, last)
            heading = () if owner is None else headings[owner]
            position = len(made)
            made.append(Chunk(chunk_id(node, position), node, position, heading, text, where))
    return tuple(made)


def informative_regions(parsed: ParsedFile) -> list[tuple[int | None, int, int]]:
    """Regions that say more than their own heading; all of them where none does."""
    found = list(regions(parsed))
    return [region for region in found if not _is_bare_heading(parsed, *region)] or found


def _is_bare_heading(parsed: ParsedFile, owner: int | None, begin: int, end: int) -> bool:
    said = _WORD.findall(parsed.title if owner is None else parsed.parts[owner].title)
    found = islice(_WORD.finditer(parsed.text, begin, end), len(said) + 1)
    return [word.group() for word in found] == said


def heading_paths(parsed: ParsedFile) -> tuple[tuple[str, ...], ...]:
    """For each part the titles from the outermost part down to itself."""
    paths: list[tuple[str, ...]] = []
    for part in parsed.parts:
        above = () if part.parent is None else paths[part.parent]
        paths.append((*above, part.title))
    return tuple(paths)


def regions(parsed: ParsedFile) -> Iterator[tuple[int | None, int, int]]:
    """Stretches of text with the part they belong to; None is the document itself."""
    borders = sorted(parsed.borders)
    for owner, begin, end in _owned(parsed):
        inner = borders[bisect_right(borders, begin) : bisect_left(borders, end)]
        cuts = [begin, *inner, end]
        for first, last in pairwise(cuts):
            if parsed.text[first:last].strip():
                yield owner, first, last


def _owned(parsed: ParsedFile) -> Iterator[tuple[int | None, int, int]]:
    """A part owns what none of its inner parts does."""
    opened: list[int] = []
    at = 0
    for index, part in enumerate(parsed.parts):
        while opened and parsed.parts[opened[-1]].end <= part.start:
            inner = opened.pop()
            yield inner, at, parsed.parts[inner].end
            at = parsed.parts[inner].end
        yield (opened[-1] if opened else None), at, part.start
        at = part.start
        opened.append(index)
    while opened:
        inner = opened.pop()
        yield inner, at, parsed.parts[inner].end
        at = parsed.parts[inner].end
    yield None, at, len(parsed.text)


def _passages(text: str, size: int) -> Iterator[tuple[int, str]]:
    for offset, stretch in _stretches(text):
        for start, passage in _splitter(size).chunk_indices(stretch):
            yield offset + start, passage


def _stretches(text: str) -> Iterator[tuple[int, str]]:
    """Long text in pieces, cut at the last paragraph, line or word of each."""
    at = 0
    while len(text) - at > _LONGEST_STRETCH:
        window = text[at : at + _LONGEST_STRETCH]
        cuts = (window.rfind(mark) + len(mark) for mark in _BREAKS)
        cut = next((cut for cut in cuts if cut > _LONGEST_STRETCH // 2), _LONGEST_STRETCH)
        yield at, window[:cut]
        at += cut
    yield at, text[at:]
