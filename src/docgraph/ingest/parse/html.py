"""HTML: the text of a page's main region, its sections by heading, its links."""

from collections.abc import Sequence
from dataclasses import replace

from docgraph.ingest.decode import decoded
from docgraph.ingest.lines import Lines, SourceLines
from docgraph.ingest.parse.fields import marked_fields
from docgraph.ingest.parse.html_charset import declared_charset
from docgraph.ingest.parse.html_extract import extract
from docgraph.ingest.parse.html_page import Page
from docgraph.ingest.parse.sections import sections
from docgraph.ingest.parse.titles import chosen
from docgraph.ingest.parsed import Field, Parsed, Part, Reference
from docgraph.ingest.slugs import Slugs
from docgraph.model.node import DOCUMENT
from docgraph.ports.source import Problem


def read_html(path: str, data: bytes) -> Parsed | Problem:
    """UTF-8, or what the page declares."""
    source = decoded(path, data, declared_charset(data))
    return source if isinstance(source, Problem) else parse_html(path, source)


def parse_html(path: str, source: str) -> Parsed:
    """The H1 that opens a page is its title and no section. Lines are those of the source."""
    page = Page(source)
    found = extract(page)
    lines = SourceLines(found.source_lines)
    first = next((heading.title for heading in found.headings if heading.level == 1), "")
    title, titled = chosen(path, first, page.title)
    opening = 1 if found.headings and found.headings[0].level == 1 else 0
    lead, body = found.lead, 0
    if opening:
        lead, body = found.headings[0].lead or lead, found.headings[0].body
    parts = sections(found.headings[opening:], len(found.text), Slugs())
    preamble = parts[0].start if parts else len(found.text)
    return Parsed(
        kind=DOCUMENT,
        title=title,
        titled=titled,
        text=found.text,
        lead=lead or _described(page.fields),
        parts=_anchored(parts, found.anchors[opening:], found.anchors[:opening]),
        references=tuple(
            Reference("path", target, lines.at(start), start, end)
            for target, start, end in found.links
            if not target.startswith("#")
        ),
        fields=(*page.fields, *_told_fields(found.text, body, preamble, lines)),
        prose=found.prose,
        source_lines=found.source_lines,
    )


def _anchored(
    parts: Sequence[Part], anchors: Sequence[str], reserved: Sequence[str]
) -> tuple[Part, ...]:
    """An id in the page is the section's name, since links use it; each is given once."""
    slugs, taken = Slugs(), {*anchors, *reserved}
    given: set[str] = {"", *reserved}
    named: list[Part] = []
    for part, anchor in zip(parts, anchors, strict=True):
        name = anchor
        while name in given or (name != anchor and name in taken):
            name = slugs.take(part.title)
        given.add(name)
        named.append(replace(part, name=name))
    return tuple(named)


def _told_fields(text: str, start: int, end: int, lines: SourceLines) -> tuple[Field, ...]:
    """Fields between title and first section, as decision records have them."""
    found = marked_fields(text, start, end, Lines(text))
    return tuple(replace(field, line=lines.at(field.start)) for field in found)


def _described(fields: Sequence[Field]) -> str:
    return next((field.value for field in fields if field.name == "description"), "")
