"""What a JavaScript file exports, and by which keys."""

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from docgraph.ingest.languages.javascript_modules import file_keys
from docgraph.ingest.languages.language import Parts
from docgraph.ingest.languages.source import Source, SpanTree
from docgraph.ingest.parsed_file import Handle

_ASSIGNED_AT_ONCE = 3  # exports = module.exports = x
_DECLARATORS = frozenset({"lexical_declaration", "variable_declaration", "ambient_declaration"})


class _Export(NamedTuple):
    """Exported as `name`: the top-level symbol called `local`, else what is defined at `place`."""

    name: str
    local: str
    place: int


def offers(source: Source, parts: Parts) -> Iterator[Handle]:
    keys = tuple(file_keys(source.path))
    yield from (Handle(key, None, rank) for key, rank in keys)
    top = {part.title: at for at, part in reversed(list(enumerate(parts))) if part.parent is None}
    innermost = SpanTree([(part.start, part.end) for part in parts])
    found: dict[tuple[str, int], None] = {}
    for name, local, place in _exports(source):
        at = top.get(local, -1) if local else innermost.at(source.place(place))
        if at >= 0:
            found[name, at] = None
    for name, at in found:
        yield from (Handle(f"{key}#{name}", at, rank) for key, rank in keys)


def _exports(source: Source) -> Iterator[_Export]:
    for node in source.nodes("export"):
        yield from _statement(source, node)
    for node in source.nodes("exporting"):
        yield from _assignment(source, node)


def _statement(source: Source, node: Node) -> Iterator[_Export]:
    declaration, value = node.child_by_field_name("declaration"), node.child_by_field_name("value")
    default = any(child.type in {"default", "="} for child in node.children)
    if declaration is not None:
        for name in _declared(declaration):
            said = source.node_text(name)
            yield _Export("default" if default else said, said, name.start_byte)
    elif value is not None:
        yield from _value(source, "default", value)
    for child in node.named_children:
        if child.type == "export_clause":
            yield from (_specifier(source, one) for one in child.named_children)
        elif child.type == "identifier" and default and value is None:
            yield _Export("default", source.node_text(child), child.start_byte)


def _specifier(source: Source, node: Node) -> _Export:
    name = node.child_by_field_name("name") or node
    alias = node.child_by_field_name("alias") or name
    return _Export(source.node_text(alias), source.node_text(name), name.start_byte)


def _declared(declaration: Node) -> Iterator[Node]:
    name = declaration.child_by_field_name("name")
    if name is not None:
        yield name
    elif declaration.type in _DECLARATORS:
        for child in declaration.named_children:
            inner = child.child_by_field_name("name")
            if inner is not None and inner.is_named:
                yield inner


def _assignment(source: Source, node: Node) -> Iterator[_Export]:
    """`module.exports = …`, `module.exports.name = …`, `exports.name = …`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or left.end_byte - left.start_byte > 100:
        return
    said = source.node_text(left).removeprefix("module.")
    for _ in range(_ASSIGNED_AT_ONCE):
        if right.type == "assignment_expression":
            right = right.child_by_field_name("right") or right
    if said == "exports":
        yield from _value(source, "default", right)
    elif said.startswith("exports.") and said.count(".") == 1:
        yield from _value(source, said.removeprefix("exports."), right)


def _value(source: Source, name: str, value: Node) -> Iterator[_Export]:
    """An object exports its properties; a function or class is defined where it stands."""
    if value.type == "identifier":
        yield _Export(name, source.node_text(value), value.start_byte)
    elif value.type == "object":
        yield from (one for child in value.named_children for one in _property(source, child))
    elif value.child_by_field_name("body") is not None:
        yield _Export(name, "", value.start_byte)


def _property(source: Source, node: Node) -> Iterator[_Export]:
    if node.type == "shorthand_property_identifier":
        yield _Export(source.node_text(node), source.node_text(node), node.start_byte)
        return
    name = node.child_by_field_name("name") or node.child_by_field_name("key")
    value = node.child_by_field_name("value")
    if name is not None and value is not None and value.type == "identifier":
        yield _Export(source.node_text(name), source.node_text(value), value.start_byte)
    elif name is not None:
        yield _Export(source.node_text(name), "", name.start_byte)
