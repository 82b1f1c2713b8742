"""Plain text: paragraphs, perhaps after a header block or a title line; and header fields."""

import re
from collections.abc import Iterator

from docgraph.ingest.formats.sections import choose_title, field_title
from docgraph.ingest.parsed_file import HeaderField, ParsedFile, normalise_field_name
from docgraph.ingest.source_text import Lines
from docgraph.model.node import DOCUMENT

_NAME = r"(?P<name>[A-Za-z][A-Za-z0-9]*(?:[ _-][A-Za-z0-9]+){0,3})"
_PLAIN = re.compile(_NAME + r"[ \t]*:(?:[ \t]+(?P<value>\S.*))?$")
_MARKED = re.compile(
    r"[ \t]*(?:[-*+][ \t]+)?(?:\*\*|__)?" + _NAME + r"(?:\*\*|__)?[ \t]*:(?:\*\*|__)?"
    r"[ \t]+(?P<value>\S.*)$"
)
_LISTED = re.compile(":" + _NAME + r":(?:[ \t]+(?P<value>\S.*))?$")
_COLUMN = re.compile(r"\s{3,}")  # RFCs have a second column beside their headers
_MIN_FIELDS = 2
_MAX_OTHER_LINES = 1  # the line above an RFC's fields
_MAX_TITLE_CHARACTERS = 100
_PARAGRAPH = re.compile(r"\S.*?(?=\n[ \t]*\n|\Z)", re.DOTALL)


def read_header_block(text: str, lines: Lines) -> tuple[tuple[HeaderField, ...], int]:
    """The fields of an opening block such as a PEP's or an RFC's, and where the block ends."""
    start = len(text) - len(text.lstrip())
    start = text.rfind("\n", 0, start) + 1
    end = text.find("\n\n", start)
    end = len(text) if end < 0 else end
    fields = other_lines = 0
    for _, line in _split_lines(text, start, end):
        if _PLAIN.match(line):
            fields += 1
        elif not (fields and line[:1] in {" ", "\t"}):
            other_lines += 1
    if fields < _MIN_FIELDS or other_lines > _MAX_OTHER_LINES:
        return (), 0
    return tuple(_read_fields(text, start, end, lines, _PLAIN)), end


def read_marked_fields(text: str, start: int, end: int, lines: Lines) -> tuple[HeaderField, ...]:
    """`Name: value` lines, also bold or as list items, as in decision records."""
    return tuple(_read_fields(text, start, end, lines, _MARKED))


def read_field_list(text: str, start: int, end: int, lines: Lines) -> tuple[HeaderField, ...]:
    """reStructuredText's `:Name: value`."""
    return tuple(_read_fields(text, start, end, lines, _LISTED))


def _read_fields(
    text: str, start: int, end: int, lines: Lines, form: re.Pattern[str]
) -> Iterator[HeaderField]:
    """One field for each line; an indented line continues the field above it."""
    current = ""
    for first, line in _split_lines(text, start, end):
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


def _split_lines(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    for line in text[start:end].split("\n"):
        yield start, line
        start += len(line) + 1


def parse_text(path: str, text: str) -> ParsedFile:
    """The title is the header's, else a short first line, else the file's name."""
    fields, border = read_header_block(text, Lines(text))
    first = _PARAGRAPH.search(text, border)
    opening, _, rest = first.group().partition("\n") if first else ("", "", "")
    line = opening if len(opening) <= _MAX_TITLE_CHARACTERS else ""
    header = field_title(fields)
    title, titled = choose_title(path, header, line)
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
