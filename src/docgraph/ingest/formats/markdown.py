"""Markdown: front matter, sections, links and fields of decision records."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from markdown_it.token import Token

from docgraph.ingest.formats.bounded_markdown import SPAN, parse_tokens
from docgraph.ingest.formats.front_matter import read_front_matter
from docgraph.ingest.formats.sections import (
    Heading,
    Slugs,
    choose_title,
    field_title,
    make_sections,
)
from docgraph.ingest.formats.text import read_marked_fields
from docgraph.ingest.parsed_file import HeaderField, Link, ParsedFile, Part, normalise_field_name
from docgraph.ingest.source_text import Lines
from docgraph.model.node import DOCUMENT

_VISIBLE = re.compile(r"[^\n]")
_WORD = re.compile(r"\w")


def find_links(tokens: Sequence[Token], text: str, lines: Lines) -> Iterator[Link]:
    """Links with a target, in document order, without autolinks and images."""
    for block in tokens:
        offsets: _BlockOffsets | None = None
        for token in block.children or ():
            span, target = token.meta.get(SPAN), str(token.attrs.get("href", ""))
            if span is None or not target or block.map is None:
                continue
            offsets = offsets or _BlockOffsets(block.content, block.map[0], text, lines)
            start = offsets.at(span[0])
            end = max(offsets.at(span[1] - 1) + 1, start + 1)
            yield Link("path", target, lines.at(start), start, end)


class _BlockOffsets:
    """From an offset in a block's content to one in the text; every line is searched once.

    A line of content is a line of the text without its indentation and quotation marks.
    """

    def __init__(self, content: str, first_line: int, text: str, lines: Lines) -> None:
        self._begins: list[int] = []  # of the lines of content
        self._differences: list[int] = []  # from such a line to its place in the text
        at = 0
        for number, line in enumerate(content.split("\n"), start=first_line + 1):
            start = lines.start(number)
            found = start + max(_line_at(text, start).find(line), 0)
            self._begins.append(at)
            self._differences.append(found - at)
            at += len(line) + 1

    def at(self, offset: int) -> int:
        return offset + self._differences[bisect_right(self._begins, offset) - 1]


def _line_at(text: str, start: int) -> str:
    end = text.find("\n", start)
    return text[start:] if end < 0 else text[start:end]


def parse_markdown(path: str, text: str) -> ParsedFile:
    """The H1 that opens a document is its title and no section."""
    front = read_front_matter(text)
    border = front.end
    tokens, problem = parse_tokens(_VISIBLE.sub(" ", text[:border]) + text[border:])
    lines = Lines(text)
    lead, headings = _find_headings(tokens, lines)
    first = next((heading.title for heading in headings if heading.level == 1), "")
    title, titled = choose_title(path, field_title(front.fields), first)
    slugs, opening = Slugs(), border
    if headings and headings[0].level == 1:
        slugs.assign(headings[0].title)
        lead, opening = headings[0].lead or lead, headings[0].body
        headings = headings[1:]
    parts = make_sections(headings, len(text), slugs)
    return ParsedFile(
        kind=DOCUMENT,
        title=title,
        titled=titled,
        text=text,
        lead=lead,
        parts=parts,
        links=tuple(find_links(tokens, text, lines)),
        fields=front.fields + tuple(_read_fields(text, opening, parts, lines)),
        borders=(border,) if border else (),
        remarks=(
            *front.remarks,
            *([f"{problem}; read as text, without sections"] if problem else ()),
        ),
        access=front.access,
    )


def _find_headings(tokens: Sequence[Token], lines: Lines) -> tuple[str, list[Heading]]:
    """The first paragraph before all headings; and headings, each with its first paragraph."""
    lead, headings = "", list[Heading]()
    for token, inline in pairwise(tokens):
        if token.level or token.map is None:
            continue
        if token.type == "heading_open":
            start, body = (lines.start(line + 1) for line in token.map)
            headings.append(Heading(int(token.tag[1]), visible_text(inline), start, body))
        elif token.type == "paragraph_open" and not (headings[-1].lead if headings else lead):
            words = visible_text(inline)
            if not _WORD.search(words):
                continue
            if headings:
                headings[-1] = replace(headings[-1], lead=words)
            else:
                lead = words
    return lead, headings


def visible_text(inline: Token) -> str:
    """Text and inline code without markup and images."""
    texts = (
        child.content if child.type in {"text", "code_inline"} else " "
        for child in inline.children or ()
        if child.type in {"text", "code_inline", "softbreak", "hardbreak"}
    )
    return "".join(texts).strip()


def _read_fields(
    text: str, opening: int, parts: Sequence[Part], lines: Lines
) -> Iterator[HeaderField]:
    """Fields between title and first section, and the lines of a section called Status."""
    preamble = parts[0].start if parts else len(text)
    yield from read_marked_fields(text, opening, preamble, lines)
    for part in parts:
        if normalise_field_name(part.title) == "status":
            start = text.find("\n", part.start, part.end) + 1 or part.end
            for line in text[start : part.end].split("\n"):
                if line.strip():
                    yield HeaderField("status", line, lines.at(start), start, start + len(line))
                start += len(line) + 1
