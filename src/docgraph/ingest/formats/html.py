"""HTML: the text of a page's main region, its sections by heading, its links."""

import codecs
import re
from collections.abc import Sequence
from dataclasses import replace

from docgraph.ingest.formats.html_extract import extract
from docgraph.ingest.formats.html_page import Page
from docgraph.ingest.formats.sections import Slugs, choose_title, make_sections
from docgraph.ingest.formats.text import read_marked_fields
from docgraph.ingest.parsed_file import HeaderField, Link, ParsedFile, Part
from docgraph.ingest.source_text import Lines, SourceLines, decode
from docgraph.model.node import DOCUMENT
from docgraph.ports.source import SourceProblem

_MAX_CHARSET_SEARCH_BYTES = 4096  # declarations are at the top
_DECLARED = re.compile(
    rb"<meta\b[^>]*?\bcharset\s*=\s*[\"']?\s*([\w.:-]+)|<\?xml\b[^>]*?\bencoding\s*=\s*[\"']([\w.:-]+)",
    re.IGNORECASE,
)
# Python has more codecs: from bytes to bytes, and charsets that no browser reads.
_HTML_CHARSETS = re.compile(
    r"big5|cp(?:125\d|866|874|932|949)|euc[-_](?:jp|kr)|gb(?:18030|k|2312)|iso8859-\d+"
    r"|koi8-[ru]|mac-roman|shift_jis"
)
# All browsers read Latin-1 and ASCII as Windows-1252.
_ALIASES = {"ascii": "cp1252", "iso8859-1": "cp1252", "gb2312": "gbk"}


def declared_charset(data: bytes) -> str:
    """Python's name of the charset; empty for none, for UTF-8, and for one that HTML has not."""
    match = _DECLARED.search(data, 0, _MAX_CHARSET_SEARCH_BYTES)
    if match is None:
        return ""
    try:
        name = codecs.lookup((match[1] or match[2]).decode("ascii")).name
    except LookupError:
        return ""
    name = _ALIASES.get(name, name)
    return name if _HTML_CHARSETS.fullmatch(name) else ""


def read_html(path: str, data: bytes) -> ParsedFile | SourceProblem:
    """In UTF-8, or in the charset that the page declares."""
    source = decode(path, data, declared_charset(data))
    return source if isinstance(source, SourceProblem) else parse_html(path, source)


def parse_html(path: str, source: str) -> ParsedFile:
    """The H1 that opens a page is its title and no section. Lines are those of the source."""
    page = Page(source)
    content = extract(page)
    lines = SourceLines(content.source_lines)
    first = next((heading.title for heading in content.headings if heading.level == 1), "")
    title, titled = choose_title(path, first, page.title)
    opening = 1 if content.headings and content.headings[0].level == 1 else 0
    lead, body = content.lead, 0
    if opening:
        lead, body = content.headings[0].lead or lead, content.headings[0].body
    parts = make_sections(content.headings[opening:], len(content.text), Slugs())
    preamble = parts[0].start if parts else len(content.text)
    return ParsedFile(
        kind=DOCUMENT,
        title=title,
        titled=titled,
        text=content.text,
        lead=lead or _find_description(page.fields),
        parts=_name_by_anchor(parts, content.anchors[opening:], content.anchors[:opening]),
        links=tuple(
            Link("path", target, lines.at(start), start, end)
            for target, start, end in content.links
            if not target.startswith("#")
        ),
        fields=(*page.fields, *_read_fields(content.text, body, preamble, lines)),
        prose=content.prose,
        source_lines=content.source_lines,
    )


def _name_by_anchor(
    parts: Sequence[Part], anchors: Sequence[str], reserved: Sequence[str]
) -> tuple[Part, ...]:
    """The id of a heading is its section's name, since links use it; each is assigned once."""
    slugs, ids = Slugs(), {*anchors, *reserved}
    assigned: set[str] = {"", *reserved}
    named: list[Part] = []
    for part, anchor in zip(parts, anchors, strict=True):
        name = anchor
        while name in assigned or (name != anchor and name in ids):
            name = slugs.assign(part.title)
        assigned.add(name)
        named.append(replace(part, name=name))
    return tuple(named)


def _read_fields(text: str, start: int, end: int, lines: SourceLines) -> tuple[HeaderField, ...]:
    """Fields between title and first section, as in decision records."""
    fields = read_marked_fields(text, start, end, Lines(text))
    return tuple(replace(field, line=lines.at(field.start)) for field in fields)


def _find_description(fields: Sequence[HeaderField]) -> str:
    return next((field.value for field in fields if field.name == "description"), "")
