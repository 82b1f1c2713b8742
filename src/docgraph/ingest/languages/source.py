"""One file of code: its text, and what its language's query captured in it.

Positions are taken from bytes alone: in tree-sitter 0.26.0, reading `start_point` corrupts memory
(tree-sitter/py-tree-sitter#472).
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np
from tree_sitter import Language as Grammar
from tree_sitter import Node, Query, QueryCursor

from docgraph.ingest.languages.bounded_parse import parse
from docgraph.ingest.languages.language import Language
from docgraph.ingest.source_text import Lines

Match = dict[str, list[Node]]
OUTSIDE = -1
# Deeper code is generated, and a query's time grows with its depth.
_MAX_DEPTH = 4_000


class ByteOffsets:
    """From a byte's offset in UTF-8 to its character's; in ASCII the two are equal."""

    __slots__ = ("_before",)

    def __init__(self, data: bytes) -> None:
        self._before: memoryview | None = None
        if not data.isascii():
            begins = (np.frombuffer(data, dtype=np.uint8) & 0xC0) != 0x80
            counts = np.concatenate(([0], np.cumsum(begins, dtype=np.int64)))
            self._before = counts.data

    def __call__(self, byte: int) -> int:
        return byte if self._before is None else int(self._before[byte])


@cache
def _compile(language: Language) -> tuple[Grammar, Query]:
    grammar = Grammar(language.grammar())
    return grammar, Query(grammar, language.query)


class SourceCode:
    """`character_offset` converts a byte's offset; `lines` are counted in characters.

    A file that exceeds the limits of the parser has no captures.
    """

    def __init__(self, language: Language, path: str, text: str) -> None:
        grammar, query = _compile(language)
        self.path = path
        self.text = text
        self.data = text.encode()
        self.character_offset = ByteOffsets(self.data)
        self.lines = Lines(text)
        tree, self._problem = parse(grammar, language.prepare(self.data), language.max_merges)
        self.root = tree.root_node
        self._ascii = len(text) == len(self.data)
        cursor = QueryCursor(query)
        cursor.set_max_start_depth(_MAX_DEPTH)
        self._roles = _group_by_role(cursor.matches(self.root))

    def matches(self, role: str) -> list[Match]:
        """Those with a capture of this name, pattern by pattern."""
        return self._roles.get(role, [])

    def nodes(self, role: str) -> list[Node]:
        """In the order of their starts, outer ones first."""
        nodes = [match[role][0] for match in self.matches(role)]
        nodes.sort(key=lambda node: (node.start_byte, -node.end_byte))
        return nodes

    def names(self, role: str) -> list[tuple[str, int]]:
        """The captures of this name, each as text and where it starts."""
        nodes = [match[role][0] for match in self.matches(role)]
        if self._ascii:
            text = self.text
            return [(text[(at := node.start_byte) : node.end_byte], at) for node in nodes]
        return [(self.node_text(node), node.start_byte) for node in nodes]

    def text_at(self, start: int, end: int) -> str:
        return self.text[start:end] if self._ascii else self.data[start:end].decode()

    def node_text(self, node: Node) -> str:
        return self.text_at(node.start_byte, node.end_byte)

    def remarks(self) -> tuple[str, ...]:
        """The first position that does not parse, if there is one; or why nothing was parsed."""
        if self._problem:
            return (f"{self._problem}; read as text, without symbols",)
        if not self.root.has_error:
            return ()
        node: Node | None = self.root
        bad = self.root
        while node is not None:
            bad = node
            inner = (child for child in node.children if child.has_error or child.is_missing)
            node = None if node.is_error else next(inner, None)
        line = self.lines.at(self.character_offset(bad.start_byte))
        return (f"line {line}: does not parse; the rest was read",)


def _group_by_role(matches: Iterable[tuple[int, Match]]) -> dict[str, list[Match]]:
    """A pattern always captures by the same names."""
    patterns: dict[int, list[Match]] = {}
    for pattern, match in matches:
        patterns.setdefault(pattern, []).append(match)
    roles: dict[str, list[Match]] = {}
    for _, same in sorted(patterns.items()):
        for role in same[0]:
            roles.setdefault(role, []).extend(same)
    return roles


class SpanTree:
    """Nested spans, sorted by start, the longer first, each inside or beside every other."""

    __slots__ = ("_owners", "_positions", "parents")

    def __init__(self, spans: Sequence[tuple[int, int]]) -> None:
        self._positions: list[int] = []
        self._owners: list[int] = []
        self.parents: list[int] = []
        opened: list[int] = []
        for index, (start, _) in enumerate(spans):
            while opened and spans[opened[-1]][1] <= start:
                self._close(opened, spans)
            self.parents.append(opened[-1] if opened else OUTSIDE)
            opened.append(index)
            self._positions.append(start)
            self._owners.append(index)
        while opened:
            self._close(opened, spans)

    def _close(self, opened: list[int], spans: Sequence[tuple[int, int]]) -> None:
        self._positions.append(spans[opened.pop()][1])
        self._owners.append(opened[-1] if opened else OUTSIDE)

    def at(self, position: int) -> int:
        """The index of the innermost span that contains the position, or OUTSIDE."""
        index = bisect_right(self._positions, position) - 1
        return self._owners[index] if index >= 0 else OUTSIDE
