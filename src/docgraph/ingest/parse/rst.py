"""reStructuredText: sections, links and header fields, found without running directives."""

import re
from dataclasses import replace

from docgraph.ingest.lines import Lines
from docgraph.ingest.parse.fields import header_block, listed_fields
from docgraph.ingest.parse.rst_links import links
from docgraph.ingest.parse.rst_sections import headings
from docgraph.ingest.parse.sections import Heading, sections
from docgraph.ingest.parse.titles import chosen, field_title
from docgraph.ingest.parsed import Parsed
from docgraph.ingest.slugs import Slugs
from docgraph.model.node import DOCUMENT

_INLINE = re.compile(r"``(?:[^`\n]|`(?!`))+``")
_CODE = re.compile(
    r"[ \t]*\.\. (?:code|code-block|doctest|highlight|literalinclude|math|parsed-literal"
    r"|productionlist|sourcecode|testcode)::"
)
_NOT_PROSE = re.compile(r"[ \t]|\.\. |:[^:`\n]+:(?:\s|$)|[-*+] |__ |>>>|[+|=]")
_MARKUP = re.compile(
    r":[\w:+-]+:(?=`)|`{1,2}__?(?!\w)|`|\*\*?|(?<=[^\W_])_(?!\w)|\s*<[^<>`]+>(?=`)"
)
_NUMBERED = re.compile(r":(pep|rfc):`(\d+)`")


def parse_rst(path: str, text: str) -> Parsed:
    """A lone first section at the top level is the document's title, as docutils has it."""
    lines = Lines(text)
    block, border = header_block(text, lines)
    found = headings(text.split("\n"))
    lone = found[:1] if [h.level for h in found].count(1) == 1 else []
    inner = found[len(lone) :]
    opening = lone[0].body if lone else border
    preamble = inner[0].start if inner else len(text)
    fields = block + listed_fields(text, opening, preamble, lines)
    title, titled = chosen(path, field_title(fields), *(heading.title for heading in lone))
    slugs = Slugs()
    for heading in lone:
        slugs.take(heading.title)
    return Parsed(
        kind=DOCUMENT,
        title=title,
        titled=titled,
        text=text,
        lead=_lead(text, opening, preamble),
        parts=sections(_with_leads(text, inner), len(text), slugs),
        references=tuple(links(masked(text), lines)),
        fields=fields,
        borders=(border,) if border else (),
    )


def _with_leads(text: str, found: list[Heading]) -> list[Heading]:
    ends = [*(heading.start for heading in found), len(text)][1:]
    return [
        replace(heading, lead=_lead(text, heading.body, end))
        for heading, end in zip(found, ends, strict=True)
    ]


def _lead(text: str, start: int, end: int) -> str:
    """The first paragraph of prose, without its markup."""
    for paragraph in re.split(r"\n[ \t]*\n", text[start:end]):
        words = paragraph.strip("\n")
        if words and not _NOT_PROSE.match(words):
            named = _NUMBERED.sub(lambda match: f"{match[1].upper()} {match[2]}", words)
            return _MARKUP.sub("", named).removesuffix("::")
    return ""


def masked(text: str) -> str:
    """The text with inline literals and literal blocks blanked out, character for character."""
    kept, fence = list[str](), -1
    for line in text.split("\n"):
        indent = len(line) - len(line.lstrip())
        if fence >= 0 and line.strip() and indent <= fence:
            fence = -1
        kept.append(line if fence < 0 else " " * len(line))
        if fence < 0 and _opens_literal(line):
            fence = indent
    return _INLINE.sub(lambda match: " " * len(match.group()), "\n".join(kept))


def _opens_literal(line: str) -> bool:
    if line.lstrip().startswith(".. "):
        return _CODE.match(line) is not None
    return line.rstrip().endswith("::")
