"""Definitions: the classes, functions and tables of a file, and where each begins."""

import re
from bisect import bisect_right
from dataclasses import dataclass

from docgraph.ingest.parse.code.comments import Comments, bare, is_small_gap
from docgraph.ingest.parse.code.language import Language, Span, whole
from docgraph.ingest.parse.code.signature import LONGEST_HEAD, signature
from docgraph.ingest.parse.code.source import Match, Source

KINDS = ("class", "interface", "function", "table")
_STRING = re.compile(r"""(?s)[A-Za-z]{0,2}('{3}|"{3}|'|")(.*)\1""")


@dataclass(frozen=True, slots=True)
class Definition:
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


def definitions(language: Language, source: Source, comments: Comments) -> list[Definition]:
    """In the order of their starts, outer ones first."""
    found = _Finder(language, source, comments)
    made = [found.definition(kind, match) for kind in KINDS for match in source.matches(kind)]
    return sorted(made, key=lambda one: (one.start, -one.end, one.named))


def words_of_string(literal: str) -> str:
    match = _STRING.fullmatch(literal)
    return match.group(2).strip() if match else ""


class _Finder:
    def __init__(self, language: Language, source: Source, comments: Comments) -> None:
        self._language, self._source, self._comments = language, source, comments
        self._docs = {node.start_byte: node for node in source.nodes("doc")}
        self._outer = {whole(m["inner"][0]): whole(m["outer"][0]) for m in source.matches("outer")}
        self._ahead = [whole(node) for node in source.nodes("decorator")]
        self._ahead_ends = [end for _, end in self._ahead]

    def definition(self, kind: str, match: Match) -> Definition:
        node, name = match[kind][0], match["name"][0]
        body = match["body"][0] if "body" in match else None
        start, end = self._span(whole(node))
        comment = self._comments.before(start)
        doc = self._docs.get(body.start_byte) if body else None
        lead = words_of_string(self._source.said_by(doc)) if doc else ""
        if comment:
            start, lead = comment[0], lead or bare(self._source.said(*comment))
        ends = body.start_byte if body else node.end_byte
        head = self._comments.without(node.start_byte, min(ends, node.start_byte + LONGEST_HEAD))
        scope = whole(body) if body and kind != "function" else whole(node)
        spelled = self._language.spelled(self._source.said_by(name))
        bound = "detached" not in match
        where = (name.start_byte, start, end, scope)
        return Definition(kind, spelled, *where, bound, lead, signature(head))

    def _span(self, span: Span) -> Span:
        """With what wraps it (`export`), what stands ahead (`@decorator`), and a closing mark."""
        data = self._source.data
        while span in self._outer:
            outer = self._outer[span]
            alone = not data[span[1] : outer[1]].strip(b"; \t\r\n")
            span = (outer[0], outer[1] if alone else span[1])
        start, end = span
        at = bisect_right(self._ahead_ends, start) - 1
        while at >= 0 and is_small_gap(data, self._ahead_ends[at], start):
            start = self._ahead[at][0]
            at -= 1
        return start, end + 1 if data[end : end + 1] in {b";", b","} else end
