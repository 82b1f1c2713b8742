"""What a Python file's import statements name, as references."""

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from docgraph.ingest.lines import Lines
from docgraph.ingest.parse.characters import Characters
from docgraph.ingest.parsed import Reference

_NAMES = ("dotted_name", "aliased_import")


def imports(statements: Sequence[Node], place: Characters, lines: Lines) -> Iterator[Reference]:
    """`import a.b` names a module; `from a import b` a module and something in it."""
    for statement in statements:
        for style, target, node in _named(statement):
            start, end = place(node.start_byte), place(node.end_byte)
            yield Reference(style, target, lines.at(start), start, end)


def _named(statement: Node) -> Iterator[tuple[str, str, Node]]:
    module = statement.child_by_field_name("module_name")
    names = [
        named.child_by_field_name("name") or named
        for named in statement.children_by_field_name("name")
        if named.type in _NAMES
    ]
    if module is None:
        yield from (("import", _dotted(name), name) for name in names)
        return
    yield "import", _dotted(module), module
    yield from (("import-name", f"{_dotted(module)}:{_dotted(name)}", name) for name in names)


def _dotted(node: Node) -> str:
    """Without the white space that Python allows around dots."""
    return "".join((node.text or b"").decode().split())
