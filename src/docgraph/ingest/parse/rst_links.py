"""reStructuredText links: embedded targets, named targets, roles and tables of contents."""

import re
from collections.abc import Iterator

from docgraph.ingest.lines import Lines
from docgraph.ingest.parsed import Reference

_ROLE = re.compile(r":(?P<role>doc|pep|rfc):`(?:[^`<]*<(?P<inner>[^`>]+)>|(?P<plain>[^`<]+))`")
_EMBEDDED = re.compile(r"(?<![`:\w])`[^`<]*<(?P<target>[^`<>]+)>`__?(?!\w)")
_NAMED = re.compile(
    r"(?<![`:\w])`(?P<quoted>[^`<>]+)`_(?![_\w])|(?<![\w`])(?P<word>\w[\w.-]*\w)_\b"
)
_DEFINED = re.compile(
    r"(?m)^[ \t]*\.\. _(?:`(?P<quoted>[^`]+)`|(?P<name>[^:`\n]+)):[ \t]+(?P<target>\S+)[ \t]*$"
)
_CONTENTS = re.compile(
    r"(?m)^(?P<indent>[ \t]*)\.\. toctree::.*\n(?P<body>(?:(?P=indent)[ \t]+\S.*\n?|[ \t]*\n)*)"
)
_ENTRY = re.compile(r"(?m)^[ \t]+(?!:)(?:[^<\n]*<)?(?P<target>[^<>\s]+)>?[ \t]*$")


def links(masked: str, lines: Lines) -> Iterator[Reference]:
    """In document order; `masked` is the text with its literals blanked out."""
    found = [*_roles(masked), *_embedded(masked), *_named(masked), *_contents(masked)]
    for start, end, style, target in sorted(found):
        yield Reference(style, target, lines.at(start), start, end)


_Found = Iterator[tuple[int, int, str, str]]


def _roles(text: str) -> _Found:
    for match in _ROLE.finditer(text):
        target = (match["inner"] or match["plain"]).strip().lstrip("!~")
        if match["role"] == "doc":
            yield match.start(), match.end(), "document", target
        else:
            number = target.partition("#")[0]
            yield match.start(), match.end(), "identifier", f"{match['role'].upper()} {number}"


def _embedded(text: str) -> _Found:
    for match in _EMBEDDED.finditer(text):
        target = "".join(match["target"].split())
        if not target.endswith("_"):
            yield match.start(), match.end(), "path", target


def _named(text: str) -> _Found:
    """Each use of a named target; a target that nothing uses speaks where it is defined."""
    defined = {_key(m["quoted"] or m["name"]): m for m in _DEFINED.finditer(text)}
    used: set[str] = set()
    for match in _NAMED.finditer(text) if defined else ():
        key = _key(match["quoted"] or match["word"])
        if key in defined:
            used.add(key)
            yield match.start(), match.end(), "path", defined[key]["target"]
    for key, match in defined.items():
        if key not in used:
            yield match.start("target"), match.end("target"), "path", match["target"]


def _contents(text: str) -> _Found:
    for table in _CONTENTS.finditer(text):
        for entry in _ENTRY.finditer(text, table.start("body"), table.end("body")):
            yield entry.start("target"), entry.end("target"), "document", entry["target"]


def _key(name: str) -> str:
    return " ".join(name.casefold().split())
