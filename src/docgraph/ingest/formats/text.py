"""Plain text: paragraphs, perhaps with a header block or a title line on top."""

import re
from collections.abc import Iterator

from docgraph.ingest.formats.sections import chosen, field_title
from docgraph.ingest.parsed_file import HeaderField, ParsedFile, normalise_field_name
from docgraph.ingest.source_text import Lines
from docgraph.model.node import DOCUMENT

# Header fields in running text: RFC 822 blocks, RST field lists, `**Status:** …` lines.


_NAME = r"(?P<name>[A-Za-z][A-Za-z0-9]*(?:[ _-][A-Za-z0-9]+){0,3})"
_PLAIN = re.compile(_NAME + r"[ \t]*:(?:[ \t]+(?P<value>\S.*))?$")
_MARKED = re.compile(
    r"[ \t]*(?:[-*+][ \t]+)?(?:\*\*|__)?" + _NAME + r"(?:\*\*|__)?[ \t]*:(?:\*\*|__)?"
    r"[ \t]+(?P<value>\S.*)$"
)
_LISTED = re.compile(":" + _NAME + r":(?:[ \t]+(?P<value>\S.*))?$")
_COLUMN = re.compile(r"\s{3,}")  # RFCs set a second column beside their headers
_FEWEST = 2
_MOST_STRAY = 1  # the line above an RFC's fields


def header_block(text: str, lines: Lines) -> tuple[tuple[HeaderField, ...], int]:
    """The fields of an opening block such as a PEP's or an RFC's, and where the block ends."""
    start = len(text) - len(text.lstrip())
    start = text.rfind("\n", 0, start) + 1
    end = text.find("\n\n", start)
    end = len(text) if end < 0 else end
    stray = 0
    heads = 0
    for _, line in _each_line(text, start, end):
        if _PLAIN.match(line):
            heads += 1
        elif not (heads and line[:1] in {" ", "\t"}):
            stray += 1
    if heads < _FEWEST or stray > _MOST_STRAY:
        return (), 0
    return tuple(_fields(text, start, end, lines, _PLAIN)), end


def marked_fields(text: str, start: int, end: int, lines: Lines) -> tuple[HeaderField, ...]:
    """`Name: value` lines, also bold or as list items, as decision records have them."""
    return tuple(_fields(text, start, end, lines, _MARKED))


def listed_fields(text: str, start: int, end: int, lines: Lines) -> tuple[HeaderField, ...]:
    """reStructuredText's `:Name: value`."""
    return tuple(_fields(text, start, end, lines, _LISTED))


def _fields(
    text: str, start: int, end: int, lines: Lines, form: re.Pattern[str]
) -> Iterator[HeaderField]:
    """Every value on a line of its own; an indented line continues the field above it."""
    current = ""
    for first, line in _each_line(text, start, end):
        match = form.match(line)
        if match:
            current = normalise_field_name(match["name"]) if match["value"] else ""
            value, offset = match["value"] or "", max(match.start("value"), 0)
        elif current and line[:1] in {" ", "\t"}:
            value, offset = line.strip(), len(line) - len(line.lstrip())
        else:
            current = ""
            continue
        value = _COLUMN.split(value)[0].rstrip()
        if value:
            begin = first + offset
            yield HeaderField(current, value, lines.at(begin), begin, begin + len(value))


def _each_line(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    for line in text[start:end].split("\n"):
        yield start, line
        start += len(line) + 1


_LONGEST_TITLE = 100
_PARAGRAPH = re.compile(r"\S.*?(?=\n[ \t]*\n|\Z)", re.DOTALL)


def parse_text(path: str, text: str) -> ParsedFile:
    """The title is the header's, else a short first line, else the file's name."""
    fields, border = header_block(text, Lines(text))
    first = _PARAGRAPH.search(text, border)
    opening, _, rest = first.group().partition("\n") if first else ("", "", "")
    line = opening if len(opening) <= _LONGEST_TITLE else ""
    header = field_title(fields)
    title, titled = chosen(path, header, line)
    lead = first
    if first and line and not header and not rest.strip():
        lead = _PARAGRAPH.search(text, first.end()) or first
    return ParsedFile(
        kind=DOCUMENT,
        title=title,
        titled=titled,
        text=text,
        lead=lead.group().strip() if lead else "",
        fields=fields,
        borders=(border,) if border else (),
    )
