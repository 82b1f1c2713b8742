"""HTML: the text of a page's main region, its sections by heading, its links."""

import codecs
import re
from collections.abc import Sequence
from dataclasses import replace

from docgraph.ingest.formats.html_extract import extract
from docgraph.ingest.formats.html_page import Page
from docgraph.ingest.formats.sections import Slugs, chosen, sections
from docgraph.ingest.formats.text import marked_fields
from docgraph.ingest.parsed_file import HeaderField, Link, ParsedFile, Part
from docgraph.ingest.source_text import Lines, SourceLines, decode
from docgraph.model.node import DOCUMENT
from docgraph.ports.source import SourceProblem

# The charset that an HTML file declares, as far as it is one that HTML knows.


_SEARCHED = 4096  # declarations stand at the top
_DECLARED = re.compile(
    rb"<meta\b[^>]*?\bcharset\s*=\s*[\"']?\s*([\w.:-]+)|<\?xml\b[^>]*?\bencoding\s*=\s*[\"']([\w.:-]+)",
    re.IGNORECASE,
)
# Python's other codecs make bytes of bytes, or text of what no browser reads.
_KNOWN = re.compile(
    r"big5|cp(?:125\d|866|874|932|949)|euc[-_](?:jp|kr)|gb(?:18030|k|2312)|iso8859-\d+"
    r"|koi8-[ru]|mac-roman|shift_jis"
)
# What says Latin-1 or ASCII means Windows-1252: so do all browsers.
_MEANT = {"ascii": "cp1252", "iso8859-1": "cp1252", "gb2312": "gbk"}


def declared_charset(data: bytes) -> str:
    """Python's name for it; empty for none, for UTF-8, and for what is no charset of HTML."""
    match = _DECLARED.search(data, 0, _SEARCHED)
    if match is None:
        return ""
    try:
        name = codecs.lookup((match[1] or match[2]).decode("ascii")).name
    except LookupError:
        return ""
    name = _MEANT.get(name, name)
    return name if _KNOWN.fullmatch(name) else ""


def read_html(path: str, data: bytes) -> ParsedFile | SourceProblem:
    """UTF-8, or what the page declares."""
    source = decode(path, data, declared_charset(data))
    return source if isinstance(source, SourceProblem) else parse_html(path, source)


def parse_html(path: str, source: str) -> ParsedFile:
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
    return ParsedFile(
        kind=DOCUMENT,
        title=title,
        titled=titled,
        text=found.text,
        lead=lead or _described(page.fields),
        parts=_anchored(parts, found.anchors[opening:], found.anchors[:opening]),
        links=tuple(
            Link("path", target, lines.at(start), start, end)
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


def _told_fields(text: str, start: int, end: int, lines: SourceLines) -> tuple[HeaderField, ...]:
    """Fields between title and first section, as decision records have them."""
    found = marked_fields(text, start, end, Lines(text))
    return tuple(replace(field, line=lines.at(field.start)) for field in found)


def _described(fields: Sequence[HeaderField]) -> str:
    return next((field.value for field in fields if field.name == "description"), "")
