"""Plain text: paragraphs, perhaps with a header block or a title line on top."""

import re

from docgraph.ingest.lines import Lines
from docgraph.ingest.parse.fields import header_block
from docgraph.ingest.parse.titles import chosen, field_title
from docgraph.ingest.parsed import Parsed
from docgraph.model.node import DOCUMENT

_LONGEST_TITLE = 100
_PARAGRAPH = re.compile(r"\S.*?(?=\n[ \t]*\n|\Z)", re.DOTALL)


def parse_text(path: str, text: str) -> Parsed:
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
    return Parsed(
        kind=DOCUMENT,
        title=title,
        titled=titled,
        text=text,
        lead=lead.group().strip() if lead else "",
        fields=fields,
        borders=(border,) if border else (),
    )
