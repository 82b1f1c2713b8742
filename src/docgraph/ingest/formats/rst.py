"""reStructuredText: sections, links and header fields, found without running directives."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from docgraph.ingest.formats.sections import (
    Heading,
    Slugs,
    choose_title,
    field_title,
    make_sections,
)
from docgraph.ingest.formats.text import read_field_list, read_header_block
from docgraph.ingest.parsed_file import Link, ParsedFile
from docgraph.ingest.source_text import Lines
from docgraph.model.node import DOCUMENT

_ROLE = re.compile(r":(?P<role>doc|pep|rfc):`(?:[^`<]*<(?P<inner>[^`>]+)>|(?P<plain>[^`<]+))`")
_EMBEDDED = re.compile(r"(?<![`:\w])`[^`<]*<(?P<target>[^`<>]+)>`__?(?!\w)")
_NAMED = re.compile(
    r"(?<![`:\w])`(?P<quoted>[^`<>]+)`_(?![_\w])"
    r"|(?<![\w.-])[.-]*+(?<!`)(?P<word>\w[\w.-]*\w)_\b"  # tried once for a run of such characters
)
_DEFINED = re.compile(
    r"(?m)^[ \t]*\.\. _(?:`(?P<quoted>[^`]+)`|(?P<name>[^:`\n]+)):[ \t]+(?P<target>\S+)[ \t]*$"
)
_CONTENTS = re.compile(
    r"(?m)^(?P<indent>[ \t]*)\.\. toctree::.*\n(?P<body>(?:(?P=indent)[ \t]+\S.*\n?|[ \t]*\n)*)"
)
_ENTRY = re.compile(r"(?m)^[ \t]++(?!:)(?:[^<\n]*<)?(?P<target>[^<>\s]+)>?[ \t]*$")


def find_links(masked: str, lines: Lines) -> Iterator[Link]:
    """In document order; `masked` is the text without its literals."""
    spans = [
        *_find_roles(masked),
        *_find_embedded(masked),
        *_find_named(masked),
        *_find_contents(masked),
    ]
    for start, end, style, target in sorted(spans):
        yield Link(style, target, lines.at(start), start, end)


_LinkSpans = Iterator[tuple[int, int, str, str]]


def _find_roles(text: str) -> _LinkSpans:
    for match in _ROLE.finditer(text):
        target = (match["inner"] or match["plain"]).strip().lstrip("!~")
        if match["role"] == "doc":
            yield match.start(), match.end(), "document", target
        else:
            number = target.partition("#")[0]
            yield match.start(), match.end(), "identifier", f"{match['role'].upper()} {number}"


def _find_embedded(text: str) -> _LinkSpans:
    for match in _EMBEDDED.finditer(text):
        target = "".join(match["target"].split())
        if not target.endswith("_"):
            yield match.start(), match.end(), "path", target


def _find_named(text: str) -> _LinkSpans:
    """Each use of a named target; a target that nothing uses is a link where it is defined."""
    defined = {_normalise_target(m["quoted"] or m["name"]): m for m in _DEFINED.finditer(text)}
    used: set[str] = set()
    for match in _NAMED.finditer(text) if defined else ():
        key = _normalise_target(match["quoted"] or match["word"])
        if key in defined:
            used.add(key)
            start = match.start("word") if match["word"] else match.start()
            yield start, match.end(), "path", defined[key]["target"]
    for key, match in defined.items():
        if key not in used:
            yield match.start("target"), match.end("target"), "path", match["target"]


def _find_contents(text: str) -> _LinkSpans:
    for table in _CONTENTS.finditer(text):
        for entry in _ENTRY.finditer(text, table.start("body"), table.end("body")):
            yield entry.start("target"), entry.end("target"), "document", entry["target"]


def _normalise_target(name: str) -> str:
    return " ".join(name.casefold().split())


_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*[ \t]*$")
_MIN_UNDERLINE_CHARACTERS = 4  # counts even if its title is longer


def find_headings(lines: Sequence[str]) -> list[Heading]:
    """Levels come in the order in which styles of adornment first appear."""
    styles: dict[tuple[str, bool], int] = {}
    headings: list[Heading] = []
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    free = 0  # the first line that no earlier heading has used
    for index in range(1, len(lines)):
        over = _first_line(lines, index, free)
        if over is None:
            continue
        style = (lines[index][0], over < index - 1)
        level = styles.setdefault(style, len(styles) + 1)
        title = lines[index - 1].strip()
        headings.append(Heading(level, title, starts[over], min(starts[index + 1], starts[-1] - 1)))
        free = index + 1
    return headings


def _first_line(lines: Sequence[str], index: int, free: int) -> int | None:
    """The first line of the heading whose underline is `lines[index]`, if it is one."""
    under, title = lines[index], lines[index - 1]
    if index - 1 < free or not _is_underline(under, title):
        return None
    above = lines[index - 2] if index - 2 >= free else ""
    if above.rstrip() and above.rstrip() == under.rstrip():
        return index - 2
    return index - 1 if not above.strip() and not title[0].isspace() else None


def _is_underline(under: str, title: str) -> bool:
    line, words = under.rstrip(), title.rstrip()
    if not words or _ADORNMENT.match(words) or not _ADORNMENT.match(line):
        return False
    return line not in {"::", ".."} and (
        len(line) >= len(words.lstrip()) or len(line) >= _MIN_UNDERLINE_CHARACTERS
    )


_INLINE = re.compile(r"``(?:[^`\n]|`(?!`))+``")
_CODE = re.compile(
    r"[ \t]*\.\. (?:code|code-block|doctest|highlight|literalinclude|math|parsed-literal"
    r"|productionlist|sourcecode|testcode)::"
)
_NOT_PROSE = re.compile(r"[ \t]|\.\. |:[^:`\n]+:(?:\s|$)|[-*+] |__ |>>>|[+|=]")
# A role before a backtick, and an address inside backticks: each run is tried once.
_ROLE_NAME = re.compile(r"(?<![\w:+-])(?P<before>[\w+-]*+):[\w:+-]+:(?=`)")
_MARKUP = re.compile(r"`{1,2}__?(?!\w)|`|\*\*?|(?<=[^\W_])_(?!\w)|(?<!\s)\s*+<[^<>`]+>(?=`)")
_NUMBERED = re.compile(r":(pep|rfc):`(\d+)`")


_MARK = re.compile(r"(?m)^\.\. (?:[\w:-]+::|_[^\n]+:)|(?<![\w:]):[a-z-]+(?::[a-z-]+)?:`|``\w")


def is_rst(text: str) -> bool:
    """Of a file whose suffix does not tell: it has an underlined heading, and a directive, a named
    target, a role or a literal."""
    return _MARK.search(text) is not None and bool(find_headings(text.split("\n")))


def parse_rst(path: str, text: str) -> ParsedFile:
    """A lone first section at the top level is the document's title, as in docutils."""
    lines = Lines(text)
    block, border = read_header_block(text, lines)
    headings = find_headings(text.split("\n"))
    lone = headings[:1] if [h.level for h in headings].count(1) == 1 else []
    inner = headings[len(lone) :]
    opening = lone[0].body if lone else border
    preamble = inner[0].start if inner else len(text)
    fields = block + read_field_list(text, opening, preamble, lines)
    title, titled = choose_title(path, field_title(fields), *(heading.title for heading in lone))
    slugs = Slugs()
    for heading in lone:
        slugs.assign(heading.title)
    return ParsedFile(
        kind=DOCUMENT,
        title=title,
        titled=titled,
        text=text,
        lead=_find_lead(text, opening, preamble),
        parts=make_sections(_add_leads(text, inner), len(text), slugs),
        links=tuple(find_links(mask_literals(text), lines)),
        fields=fields,
        borders=(border,) if border else (),
    )


def _add_leads(text: str, headings: list[Heading]) -> list[Heading]:
    ends = [*(heading.start for heading in headings), len(text)][1:]
    return [
        replace(heading, lead=_find_lead(text, heading.body, end))
        for heading, end in zip(headings, ends, strict=True)
    ]


def _find_lead(text: str, start: int, end: int) -> str:
    """The first paragraph of prose, without its markup."""
    for paragraph in re.split(r"\n[ \t]*\n", text[start:end]):
        words = paragraph.strip("\n")
        if words and not _NOT_PROSE.match(words):
            named = _NUMBERED.sub(lambda match: f"{match[1].upper()} {match[2]}", words)
            return _MARKUP.sub("", _ROLE_NAME.sub(r"\g<before>", named)).removesuffix("::")
    return ""


def mask_literals(text: str) -> str:
    """The text with spaces in place of inline literals and literal blocks."""
    lines, fence = list[str](), -1
    for line in text.split("\n"):
        indent = len(line) - len(line.lstrip())
        if fence >= 0 and line.strip() and indent <= fence:
            fence = -1
        lines.append(line if fence < 0 else " " * len(line))
        if fence < 0 and _opens_literal(line):
            fence = indent
    return _INLINE.sub(lambda match: " " * len(match.group()), "\n".join(lines))


def _opens_literal(line: str) -> bool:
    if line.lstrip().startswith(".. "):
        return _CODE.match(line) is not None
    return line.rstrip().endswith("::")
