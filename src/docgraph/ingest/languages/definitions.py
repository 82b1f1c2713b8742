"""The classes, functions and tables that a file of code defines, and the parts they become."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from docgraph.ingest.languages.comments import Comments, comment_text, is_small_gap
from docgraph.ingest.languages.language import Language, Parts, Span, span_of
from docgraph.ingest.languages.source import SourceCode
from docgraph.ingest.parsed_file import Part

KINDS = ("class", "interface", "function", "table")
OWNERS = ("class", "interface")
MAX_DEPTH = 32  # a qualified name grows with every level
MAX_QUALIFIED_CHARACTERS = 1_000
MAX_HEAD_BYTES = 3_000
_MAX_SIGNATURE_CHARACTERS = 300
_STRING = re.compile(r"""(?s)[A-Za-z]{0,2}('{3}|"{3}|'|")(.*)\1""")
_ATTRIBUTES = re.compile(
    r"(?:@[\w.]++(?:\((?:[^()]++|\([^()]*+\))*+\))?+\s*+"
    r"|\[(?:[^\[\]]++|\[[^\]]*+\])*+\]\s++)++"
)


def make_signature(head: str) -> str:
    """A definition's head in one line, without annotations and the mark that begins its body."""
    flat = " ".join(head.split())
    if flat.startswith(("@", "[")):
        attributes = _ATTRIBUTES.match(flat)
        flat = flat[attributes.end() :] if attributes else flat
    flat = flat.rstrip(" :{;=").removesuffix("=>").rstrip(" =")
    flat = flat.replace("( ", "(").replace(", )", ")").replace(" )", ")")
    if len(flat) <= _MAX_SIGNATURE_CHARACTERS:
        return flat
    return flat[: _MAX_SIGNATURE_CHARACTERS - 1] + "…"


class SymbolDefinition(NamedTuple):
    """`start` and `end` are those of its part; `inside` is the span of its own scope.

    What is not `bound` cannot be named by its name alone, such as a property's function.
    """

    kind: str
    name: str
    name_start: int
    start: int
    end: int
    inside: Span
    bound: bool
    lead: str
    signature: str


class _Capture(NamedTuple):
    kind: str
    span: Span
    name: Span
    body: Span | None = None
    bound: bool = False


def find_definitions(
    language: Language, source: SourceCode, comments: Comments
) -> list[SymbolDefinition]:
    """In the order of their starts, outer ones first."""
    builder = _DefinitionBuilder(language, source, comments)
    definitions = [builder.build(one) for one in _captures(language, source)]
    return sorted(definitions, key=lambda one: (one.start, -one.end, one.name_start))


def string_text(literal: str) -> str:
    match = _STRING.fullmatch(literal)
    return match.group(2).strip() if match else ""


def _captures(language: Language, source: SourceCode) -> list[_Capture]:
    """Each once: of several names that a definition seems to have, the first is its own."""
    captures: dict[tuple[str, Span], _Capture] = {}
    for kind in KINDS:
        for match in source.matches(kind):
            span, name = span_of(match[kind][0]), span_of(match["name"][0])
            known = captures.get((kind, span))
            if known is None or name < known.name:
                body = span_of(match["body"][0]) if "body" in match else None
                captures[kind, span] = _Capture(kind, span, name, body, "detached" not in match)
    return [*captures.values(), *(_Capture(*extra) for extra in language.extra_definitions(source))]


def _wrappers(source: SourceCode) -> Iterator[tuple[Span, Span]]:
    for match in source.matches("outer"):
        inner, outer = span_of(match["inner"][0]), span_of(match["outer"][0])
        if inner != outer:
            yield inner, outer


class _DefinitionBuilder:
    def __init__(self, language: Language, source: SourceCode, comments: Comments) -> None:
        self._language, self._source, self._comments = language, source, comments
        self._docs = {node.start_byte: node for node in source.nodes("doc")}
        self._outer = dict(_wrappers(source))
        self._decorators = [span_of(node) for node in source.nodes("decorator")]
        self._decorator_ends = [end for _, end in self._decorators]

    def build(self, one: _Capture) -> SymbolDefinition:
        start, end = self._extend_span(one.span)
        comment = self._comments.before(start)
        doc = self._docs.get(one.body[0]) if one.body else None
        lead = string_text(self._source.node_text(doc)) if doc else ""
        if comment:
            start, lead = comment[0], lead or comment_text(self._source.text_at(*comment))
        inside = one.body if one.body and one.kind != "function" else one.span
        return SymbolDefinition(
            one.kind,
            self._language.definition_name(self._source.text_at(*one.name)),
            one.name[0],
            start,
            end,
            inside,
            one.bound,
            lead,
            make_signature(self._head(one)),
        )

    def _head(self, one: _Capture) -> str:
        start, end = one.span[0], one.body[0] if one.body else one.span[1]
        return self._comments.without(start, min(end, start + MAX_HEAD_BYTES))

    def _extend_span(self, span: Span) -> Span:
        """With what wraps it (`export`), what precedes it (`@decorator`), and a closing mark."""
        data = self._source.data
        start, end = span
        while span in self._outer:
            span = self._outer[span]
            alone = not data[end : span[1]].strip(b"; \t\r\n")
            start, end = span[0], span[1] if alone else end
        at = bisect_right(self._decorator_ends, start) - 1
        while at >= 0 and is_small_gap(data, self._decorator_ends[at], start):
            start = self._decorators[at][0]
            at -= 1
        return start, end + 1 if data[end : end + 1] in {b";", b","} else end


def make_parts(
    source: SourceCode, definitions: list[SymbolDefinition]
) -> tuple[Parts, list[SymbolDefinition]]:
    """Parts with unique qualified names, and their definitions; nested too deep, or with too long
    a name, is left out."""
    parts: list[Part] = []
    used: list[SymbolDefinition] = []
    opened: list[int] = []
    seen: dict[str, int] = {}
    for one in definitions:
        while opened and used[opened[-1]].end <= one.start:
            opened.pop()
        if len(opened) == MAX_DEPTH:
            continue
        parent = opened[-1] if opened else None
        qualified = one.name if parent is None else f"{parts[parent].name}.{one.name}"
        if len(qualified) > MAX_QUALIFIED_CHARACTERS:
            continue
        owned = parent is not None and parts[parent].kind in OWNERS
        kind = "method" if one.kind == "function" and owned else one.kind
        # An extra definition, found in the text and not in the tree, may end behind its parent.
        end = one.end if parent is None else min(one.end, used[parent].end)
        span = source.character_offset(one.start), source.character_offset(end)
        name = _make_unique(qualified, seen)
        parts.append(Part(kind, name, one.name, *span, parent, one.lead, one.signature))
        opened.append(len(used))
        used.append(one._replace(end=end))
    return tuple(parts), used


def _make_unique(name: str, seen: dict[str, int]) -> str:
    """Of parts with the same qualified name the second is called `name~2`, and so on."""
    seen[name] = seen.get(name, 0) + 1
    if seen[name] == 1:
        return name
    return _make_unique(f"{name}~{seen[name]}", seen)
