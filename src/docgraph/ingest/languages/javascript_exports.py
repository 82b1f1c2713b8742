"""What a JavaScript file exports, and its definitions' keys."""

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from docgraph.ingest.languages.javascript_modules import file_keys
from docgraph.ingest.languages.language import Parts
from docgraph.ingest.languages.source import SourceCode, SpanTree
from docgraph.model.reference import Definition

_MAX_CHAINED_ASSIGNMENTS = 3  # exports = module.exports = x
_MAX_LEFT_SIDE_BYTES = 100
_DECLARATORS = frozenset({"lexical_declaration", "variable_declaration", "ambient_declaration"})


class _Export(NamedTuple):
    """Exported as `name`: the top-level symbol `local`, else what is defined at `position`."""

    name: str
    local: str
    position: int


def list_definitions(source: SourceCode, parts: Parts) -> Iterator[Definition]:
    keys = tuple(file_keys(source.path))
    yield from (Definition(key, rank=rank) for key, rank in keys)
    top = {part.title: at for at, part in reversed(list(enumerate(parts))) if part.parent is None}
    innermost = SpanTree([(part.start, part.end) for part in parts])
    exported: dict[tuple[str, int], None] = {}
    for name, local, position in _read_exports(source):
        at = top.get(local, -1) if local else innermost.at(source.character_offset(position))
        if at >= 0:
            exported[name, at] = None
    for name, at in exported:
        yield from (Definition(f"{key}#{name}", parts[at].suffix, rank) for key, rank in keys)


def _read_exports(source: SourceCode) -> Iterator[_Export]:
    for node in source.nodes("export"):
        yield from _read_statement(source, node)
    for node in source.nodes("exporting"):
        yield from _read_assignment(source, node)


def _read_statement(source: SourceCode, node: Node) -> Iterator[_Export]:
    declaration, value = node.child_by_field_name("declaration"), node.child_by_field_name("value")
    default = any(child.type in {"default", "="} for child in node.children)
    if declaration is not None:
        for name in _list_declared(declaration):
            text = source.node_text(name)
            yield _Export("default" if default else text, text, name.start_byte)
    elif value is not None:
        yield from _read_value(source, "default", value)
    for child in node.named_children:
        if child.type == "export_clause":
            yield from (_read_specifier(source, one) for one in child.named_children)
        elif child.type == "identifier" and default and value is None:
            yield _Export("default", source.node_text(child), child.start_byte)


def _read_specifier(source: SourceCode, node: Node) -> _Export:
    name = node.child_by_field_name("name") or node
    alias = node.child_by_field_name("alias") or name
    return _Export(source.node_text(alias), source.node_text(name), name.start_byte)


def _list_declared(declaration: Node) -> Iterator[Node]:
    name = declaration.child_by_field_name("name")
    if name is not None:
        yield name
    elif declaration.type in _DECLARATORS:
        for child in declaration.named_children:
            inner = child.child_by_field_name("name")
            if inner is not None and inner.is_named:
                yield inner


def _read_assignment(source: SourceCode, node: Node) -> Iterator[_Export]:
    """`module.exports = …`, `module.exports.name = …`, `exports.name = …`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or left.end_byte - left.start_byte > _MAX_LEFT_SIDE_BYTES:
        return
    name = source.node_text(left).removeprefix("module.")
    for _ in range(_MAX_CHAINED_ASSIGNMENTS):
        if right.type == "assignment_expression":
            right = right.child_by_field_name("right") or right
    if name == "exports":
        yield from _read_value(source, "default", right)
    elif name.startswith("exports.") and name.count(".") == 1:
        yield from _read_value(source, name.removeprefix("exports."), right)


def _read_value(source: SourceCode, name: str, value: Node) -> Iterator[_Export]:
    """An object exports its properties; a function or class is defined right there."""
    if value.type == "identifier":
        yield _Export(name, source.node_text(value), value.start_byte)
    elif value.type == "object":
        yield from (one for child in value.named_children for one in _read_property(source, child))
    elif value.child_by_field_name("body") is not None:
        yield _Export(name, "", value.start_byte)


def _read_property(source: SourceCode, node: Node) -> Iterator[_Export]:
    if node.type == "shorthand_property_identifier":
        yield _Export(source.node_text(node), source.node_text(node), node.start_byte)
        return
    name = node.child_by_field_name("name") or node.child_by_field_name("key")
    value = node.child_by_field_name("value")
    if name is not None and value is not None and value.type == "identifier":
        yield _Export(source.node_text(name), source.node_text(value), value.start_byte)
    elif name is not None:
        yield _Export(source.node_text(name), "", name.start_byte)
