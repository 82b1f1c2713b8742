"""One file of code: its text, and what its language's query caught in it.

Places come from bytes alone: in tree-sitter 0.26.0, reading `start_point` corrupts memory
(tree-sitter/py-tree-sitter#472).
"""

from collections.abc import Iterable
from functools import cache

from tree_sitter import Language as Grammar
from tree_sitter import Node, Parser, Query, QueryCursor

from docgraph.ingest.lines import Lines
from docgraph.ingest.parse.characters import Characters
from docgraph.ingest.parse.code.language import Language

Match = dict[str, list[Node]]
# Nobody writes code this deep, and a query's time grows with the depth of what is generated.
_DEEPEST = 4_000


@cache
def _compiled(language: Language) -> tuple[Grammar, Query]:
    grammar = Grammar(language.grammar())
    return grammar, Query(grammar, language.query)


class Source:
    """`place` makes a character's offset of a byte's; `lines` are counted in characters."""

    def __init__(self, language: Language, path: str, text: str) -> None:
        grammar, query = _compiled(language)
        self.path = path
        self.text = text
        self.data = text.encode()
        self.place = Characters(self.data)
        self.lines = Lines(text)
        self.root = Parser(grammar).parse(language.prepared(self.data)).root_node
        self._ascii = len(text) == len(self.data)
        cursor = QueryCursor(query)
        cursor.set_max_start_depth(_DEEPEST)
        self._roles = _by_role(cursor.matches(self.root))

    def matches(self, role: str) -> list[Match]:
        """Those that caught something by this name, pattern by pattern."""
        return self._roles.get(role, [])

    def nodes(self, role: str) -> list[Node]:
        """In the order of their starts, outer ones first."""
        found = [match[role][0] for match in self.matches(role)]
        found.sort(key=lambda node: (node.start_byte, -node.end_byte))
        return found

    def names(self, role: str) -> list[tuple[str, int]]:
        """What was caught by this name, as text, and where it starts."""
        nodes = [match[role][0] for match in self.matches(role)]
        if self._ascii:
            text = self.text
            return [(text[(at := node.start_byte) : node.end_byte], at) for node in nodes]
        return [(self.said_by(node), node.start_byte) for node in nodes]

    def said(self, start: int, end: int) -> str:
        return self.text[start:end] if self._ascii else self.data[start:end].decode()

    def said_by(self, node: Node) -> str:
        return self.said(node.start_byte, node.end_byte)

    def remarks(self) -> tuple[str, ...]:
        """Names the first place that does not parse."""
        if not self.root.has_error:
            return ()
        node: Node | None = self.root
        bad = self.root
        while node is not None:
            bad = node
            inner = (child for child in node.children if child.has_error or child.is_missing)
            node = None if node.is_error else next(inner, None)
        line = self.lines.at(self.place(bad.start_byte))
        return (f"line {line}: does not parse; the rest was read",)


def _by_role(matches: Iterable[tuple[int, Match]]) -> dict[str, list[Match]]:
    """A pattern always catches by the same names."""
    patterns: dict[int, list[Match]] = {}
    for pattern, match in matches:
        patterns.setdefault(pattern, []).append(match)
    roles: dict[str, list[Match]] = {}
    for _, found in sorted(patterns.items()):
        for role in found[0]:
            roles.setdefault(role, []).extend(found)
    return roles
