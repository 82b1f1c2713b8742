"""Splits a document's text into chunks, each inside exactly one node."""

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

CHUNK_CHARACTERS = 800
_MAX_SPLITTER_CHARACTERS = 8_000  # the splitter's time grows with the square of its input
_WORD = re.compile(r"\w+")
_BREAKS = ("\n\n", "\n", " ")


@cache
def _splitter(size: int) -> TextSplitter:
    return TextSplitter(size)


def split_chunks(
    path: str, parsed: ParsedFile, root: str, parts: Sequence[str], size: int = CHUNK_CHARACTERS
) -> tuple[Chunk, ...]:
    """In document order. `root` is the document's id, `parts` are those of its parts."""
    positions = Positions(parsed)
    headings = heading_paths(parsed)
    chunks: list[Chunk] = []
    for owner, begin, end in informative_regions(parsed):
        node = root if owner is None else parts[owner]
        for start, text in _split_text(parsed.text[begin:end], size):
            first, last = begin + start, begin + start + len(text)
            location = positions.location(path, first, last)
            heading = () if owner is None else headings[owner]
            number = len(chunks)
            chunks.append(Chunk(chunk_id(node, number), node, number, heading, text, location))
    return tuple(chunks)


def informative_regions(parsed: ParsedFile) -> list[tuple[int | None, int, int]]:
    """Regions with more text than their own heading; all of them where none has more."""
    every = list(split_regions(parsed))
    return [region for region in every if not _is_bare_heading(parsed, *region)] or every


def _is_bare_heading(parsed: ParsedFile, owner: int | None, begin: int, end: int) -> bool:
    heading = _WORD.findall(parsed.title if owner is None else parsed.parts[owner].title)
    words = islice(_WORD.finditer(parsed.text, begin, end), len(heading) + 1)
    return [word.group() for word in words] == heading


def heading_paths(parsed: ParsedFile) -> tuple[tuple[str, ...], ...]:
    """For each part the titles from the outermost part down to itself."""
    paths: list[tuple[str, ...]] = []
    for part in parsed.parts:
        above = () if part.parent is None else paths[part.parent]
        paths.append((*above, part.title))
    return tuple(paths)


def split_regions(parsed: ParsedFile) -> Iterator[tuple[int | None, int, int]]:
    """Spans of text with the part that they belong to; None is the document itself."""
    borders = sorted(parsed.borders)
    for owner, begin, end in _split_by_part(parsed):
        inner = borders[bisect_right(borders, begin) : bisect_left(borders, end)]
        cuts = [begin, *inner, end]
        for first, last in pairwise(cuts):
            if parsed.text[first:last].strip():
                yield owner, first, last


def _split_by_part(parsed: ParsedFile) -> Iterator[tuple[int | None, int, int]]:
    """Text belongs to the innermost part around it."""
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


def _split_text(text: str, size: int) -> Iterator[tuple[int, str]]:
    for offset, block in _split_blocks(text):
        for start, chunk in _splitter(size).chunk_indices(block):
            yield offset + start, chunk


def _split_blocks(text: str) -> Iterator[tuple[int, str]]:
    """Long text in blocks, cut at the last paragraph, line or word of each."""
    at, size = 0, _MAX_SPLITTER_CHARACTERS
    while len(text) - at > size:
        block = text[at : at + size]
        cuts = (block.rfind(mark) + len(mark) for mark in _BREAKS)
        cut = next((cut for cut in cuts if cut > size // 2), size)
        yield at, block[:cut]
        at += cut
    yield at, text[at:]
