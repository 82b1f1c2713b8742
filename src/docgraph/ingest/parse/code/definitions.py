"""Definitions: the classes, functions and tables of a file, and where each begins."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from docgraph.ingest.parse.code.comments import Comments, bare, is_small_gap
from docgraph.ingest.parse.code.language import Language, Span, whole
from docgraph.ingest.parse.code.signature import LONGEST_HEAD, signature
from docgraph.ingest.parse.code.source import Source

KINDS = ("class", "interface", "function", "table")
_STRING = re.compile(r"""(?s)[A-Za-z]{0,2}('{3}|"{3}|'|")(.*)\1""")


class Definition(NamedTuple):
    """From `start` to `end` it is a part; its own names live in `inside`; `named` is a place.

    What is not `bound` cannot be named by its name alone, such as a property's function.
    """

    kind: str
    name: str
    named: int
    start: int
    end: int
    inside: Span
    bound: bool
    lead: str
    signature: str


class _Caught(NamedTuple):
    kind: str
    span: Span
    name: Span
    body: Span | None = None
    bound: bool = False


def definitions(language: Language, source: Source, comments: Comments) -> list[Definition]:
    """In the order of their starts, outer ones first."""
    find = _Finder(language, source, comments)
    made = [find.definition(one) for one in _caught(language, source)]
    return sorted(made, key=lambda one: (one.start, -one.end, one.named))


def words_of_string(literal: str) -> str:
    match = _STRING.fullmatch(literal)
    return match.group(2).strip() if match else ""


def _caught(language: Language, source: Source) -> list[_Caught]:
    """Each once: of several names that a definition seems to have, the first is its own."""
    found: dict[tuple[str, Span], _Caught] = {}
    for kind in KINDS:
        for match in source.matches(kind):
            span, name = whole(match[kind][0]), whole(match["name"][0])
            known = found.get((kind, span))
            if known is None or name < known.name:
                body = whole(match["body"][0]) if "body" in match else None
                found[kind, span] = _Caught(kind, span, name, body, "detached" not in match)
    more = [_Caught(kind, span, name) for kind, span, name in language.more(source)]
    return [*found.values(), *more]


def _wrapped(source: Source) -> Iterator[tuple[Span, Span]]:
    for match in source.matches("outer"):
        inner, outer = whole(match["inner"][0]), whole(match["outer"][0])
        if inner != outer:
            yield inner, outer


class _Finder:
    def __init__(self, language: Language, source: Source, comments: Comments) -> None:
        self._language, self._source, self._comments = language, source, comments
        self._docs = {node.start_byte: node for node in source.nodes("doc")}
        self._outer = dict(_wrapped(source))
        self._ahead = [whole(node) for node in source.nodes("decorator")]
        self._ahead_ends = [end for _, end in self._ahead]

    def definition(self, one: _Caught) -> Definition:
        start, end = self._span(one.span)
        comment = self._comments.before(start)
        doc = self._docs.get(one.body[0]) if one.body else None
        lead = words_of_string(self._source.said_by(doc)) if doc else ""
        if comment:
            start, lead = comment[0], lead or bare(self._source.said(*comment))
        inside = one.body if one.body and one.kind != "function" else one.span
        return Definition(
            one.kind,
            self._language.spelled(self._source.said(*one.name)),
            one.name[0],
            start,
            end,
            inside,
            one.bound,
            lead,
            signature(self._head(one)),
        )

    def _head(self, one: _Caught) -> str:
        start, end = one.span[0], one.body[0] if one.body else one.span[1]
        return self._comments.without(start, min(end, start + LONGEST_HEAD))

    def _span(self, span: Span) -> Span:
        """With what wraps it (`export`), what stands ahead (`@decorator`), and a closing mark."""
        data = self._source.data
        start, end = span
        while span in self._outer:
            span = self._outer[span]
            alone = not data[end : span[1]].strip(b"; \t\r\n")
            start, end = span[0], span[1] if alone else end
        at = bisect_right(self._ahead_ends, start) - 1
        while at >= 0 and is_small_gap(data, self._ahead_ends[at], start):
            start = self._ahead[at][0]
            at -= 1
        return start, end + 1 if data[end : end + 1] in {b";", b","} else end
