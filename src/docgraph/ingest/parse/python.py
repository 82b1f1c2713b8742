"""Python: module, classes, functions and imports, as far as a file parses.

Places come from bytes alone: in tree-sitter 0.26.0, reading `start_point` corrupts memory
(tree-sitter/py-tree-sitter#472).
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import PurePosixPath

import tree_sitter_python
from tree_sitter import Language, Node, Parser

from docgraph.ingest.lines import Lines
from docgraph.ingest.parse.characters import Characters
from docgraph.ingest.parse.python_imports import imports
from docgraph.ingest.parsed import Parsed, Part
from docgraph.model.node import CODE

_LONGEST_SIGNATURE = 300
_SPACES = re.compile(r"\s+")
_COMMENT = re.compile(r"(?m)#[^\n]*$")
_SYMBOLS = frozenset({"class_definition", "function_definition"})
_IMPORTS = frozenset({"import_from_statement", "import_statement"})
# Where statements stand inside others; expressions hold none, however deep they are.
_HOLDERS = _SYMBOLS | {
    *("module", "block", "decorated_definition", "ERROR", "if_statement", "elif_clause"),
    *("else_clause", "for_statement", "while_statement", "with_statement", "try_statement"),
    *("except_clause", "except_group_clause", "finally_clause", "match_statement", "case_clause"),
}
_WALKED = _HOLDERS | _IMPORTS


@cache
def _language() -> Language:
    return Language(tree_sitter_python.language())


def parse_python(path: str, text: str) -> Parsed:
    data = text.encode()
    place = Characters(data)
    root = Parser(_language()).parse(data).root_node
    statements = list(_statements(root))
    symbols = [(node, first) for node, first in statements if node.type in _SYMBOLS]
    importing = [node for node, _ in statements if node.type in _IMPORTS]
    lines = Lines(text)
    return Parsed(
        kind=CODE,
        title=module_name(path),
        titled=False,
        text=text,
        lead=docstring(root),
        parts=tuple(_parts(symbols, place)),
        references=tuple(imports(importing, place, lines)),
        remarks=(_remark(root, place, lines),) if root.has_error else (),
    )


def module_name(path: str) -> str:
    """What a person calls it: `src/docgraph/engine.py` is `docgraph.engine`."""
    parts = list(PurePosixPath(path).with_suffix("").parts)
    if "src" in parts[:-1]:
        parts = parts[len(parts) - parts[::-1].index("src") :]
    if parts[-1] == "__init__":
        parts = parts[:-1]
    while parts and not all(part.isidentifier() for part in parts):
        parts = parts[1:]
    return ".".join(parts) or PurePosixPath(path).name


def _statements(root: Node) -> Iterator[tuple[Node, Node]]:
    """Definitions and imports in order, each with where it begins: its decorators, if any."""
    waiting = [(root, root)]
    while waiting:
        node, first = waiting.pop()
        if node.type in _SYMBOLS or node.type in _IMPORTS:
            yield node, first
        if node.type in _HOLDERS:
            inner = [child for child in node.named_children if child.type in _WALKED]
            decorated = node.type == "decorated_definition"
            waiting.extend((child, node if decorated else child) for child in reversed(inner))


def _parts(symbols: Sequence[tuple[Node, Node]], place: Characters) -> Iterator[Part]:
    """Of symbols with the same qualified name the second is called `name~2`, and so on."""
    made: list[Part] = []
    opened: list[int] = []
    seen: dict[str, int] = {}
    for symbol, first in symbols:
        start, end = place(first.start_byte), place(symbol.end_byte)
        while opened and made[opened[-1]].end <= start:
            opened.pop()
        parent = opened[-1] if opened else None
        bare = _text(symbol.child_by_field_name("name")) or "unnamed"
        name = f"{made[parent].name}.{bare}" if parent is not None else bare
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 1:
            name = f"{name}~{seen[name]}"
        kind = _kind(symbol, made[parent].kind if parent is not None else "")
        body = symbol.child_by_field_name("body")
        lead = docstring(body) if body else ""
        made.append(Part(kind, name, bare, start, end, parent, lead, _signature(symbol)))
        opened.append(len(made) - 1)
    yield from made


def _kind(symbol: Node, enclosing: str) -> str:
    if symbol.type == "class_definition":
        return "class"
    return "method" if enclosing == "class" else "function"


def _signature(symbol: Node) -> str:
    body = symbol.child_by_field_name("body")
    head = (symbol.text or b"")[: body.start_byte - symbol.start_byte if body else None].decode()
    flat = _SPACES.sub(" ", _COMMENT.sub("", head)).strip().rstrip(":").rstrip()
    flat = flat.replace("( ", "(").replace(", )", ")").replace(" )", ")")
    return flat if len(flat) <= _LONGEST_SIGNATURE else flat[: _LONGEST_SIGNATURE - 1] + "…"


def docstring(block: Node) -> str:
    """The words of a block's first statement, when that is a string."""
    first = next((child for child in block.named_children if child.type != "comment"), None)
    if first is None or first.type != "expression_statement":
        return ""
    string = first.named_child(0)
    if string is None or string.type != "string":
        return ""
    return "".join(_text(part) for part in string.children if part.type == "string_content").strip()


def _text(node: Node | None) -> str:
    return (node.text or b"").decode() if node is not None else ""


def _remark(root: Node, place: Characters, lines: Lines) -> str:
    """Names the first place that does not parse."""
    node: Node | None = root
    bad = root
    while node is not None:
        bad = node
        inner = (child for child in node.children if child.has_error or child.is_missing)
        node = None if node.is_error else next(inner, None)
    return f"line {lines.at(place(bad.start_byte))}: does not parse; the rest was read"
