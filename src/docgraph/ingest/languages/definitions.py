"""Definitions: the classes, functions and tables of a file, and where each begins."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from docgraph.ingest.languages.comments import Comments, bare, is_small_gap
from docgraph.ingest.languages.language import Language, Parts, Span, whole
from docgraph.ingest.languages.source import Source
from docgraph.ingest.parsed_file import Part

# A definition's head in one line.


_LONGEST = 300
LONGEST_HEAD = 3_000
_ATTRIBUTES = re.compile(
    r"(?:@[\w.]+(?:\((?:[^()]|\([^()]*\))*\))?\s*|\[(?:[^\[\]]|\[[^\]]*\])*\]\s+)+"
)


def signature(head: str) -> str:
    """Without annotations and without what leads over to the body."""
    flat = " ".join(head.split())
    if flat.startswith(("@", "[")):
        flat = _ATTRIBUTES.sub("", flat, count=1)
    flat = flat.rstrip(" :{;=").removesuffix("=>").rstrip(" =")
    flat = flat.replace("( ", "(").replace(", )", ")").replace(" )", ")")
    return flat if len(flat) <= _LONGEST else flat[: _LONGEST - 1] + "…"


KINDS = ("class", "interface", "function", "table")
_STRING = re.compile(r"""(?s)[A-Za-z]{0,2}('{3}|"{3}|'|")(.*)\1""")


class SymbolDefinition(NamedTuple):
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


def definitions(language: Language, source: Source, comments: Comments) -> list[SymbolDefinition]:
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

    def definition(self, one: _Caught) -> SymbolDefinition:
        start, end = self._span(one.span)
        comment = self._comments.before(start)
        doc = self._docs.get(one.body[0]) if one.body else None
        lead = words_of_string(self._source.node_text(doc)) if doc else ""
        if comment:
            start, lead = comment[0], lead or bare(self._source.text_at(*comment))
        inside = one.body if one.body and one.kind != "function" else one.span
        return SymbolDefinition(
            one.kind,
            self._language.spelled(self._source.text_at(*one.name)),
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


# From definitions to parts: qualified names, each once, and who holds whom.


OWNERS = ("class", "interface")
DEEPEST = 32  # a qualified name grows with every level


def parts_of(source: Source, found: list[SymbolDefinition]) -> tuple[Parts, list[SymbolDefinition]]:
    """What lies too deep is no part: the definitions that come back are those that are."""
    parts: list[Part] = []
    kept: list[SymbolDefinition] = []
    opened: list[int] = []
    seen: dict[str, int] = {}
    for one in found:
        while opened and kept[opened[-1]].end <= one.start:
            opened.pop()
        if len(opened) == DEEPEST:
            continue
        parent = opened[-1] if opened else None
        within = one.name if parent is None else f"{parts[parent].name}.{one.name}"
        owned = parent is not None and parts[parent].kind in OWNERS
        kind = "method" if one.kind == "function" and owned else one.kind
        # What was found in the text and not in the tree may reach across.
        end = one.end if parent is None else min(one.end, kept[parent].end)
        span = source.place(one.start), source.place(end)
        parts.append(
            Part(kind, _only(within, seen), one.name, *span, parent, one.lead, one.signature)
        )
        opened.append(len(kept))
        kept.append(one._replace(end=end))
    return tuple(parts), kept


def _only(name: str, seen: dict[str, int]) -> str:
    """Of parts with the same qualified name the second is called `name~2`, and so on."""
    seen[name] = seen.get(name, 0) + 1
    if seen[name] == 1:
        return name
    return _only(f"{name}~{seen[name]}", seen)
