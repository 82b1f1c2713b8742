"""What a JavaScript file imports or requires, and what those names then mean."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tree_sitter import Node

from docgraph.ingest.parse.code.javascript_modules import specifier_aim
from docgraph.ingest.parse.code.javascript_names import Default, Exported, Namespace, export_of
from docgraph.ingest.parse.code.language import Imports, Span, whole
from docgraph.ingest.parse.code.meaning import Aim, Aims, Imported
from docgraph.ingest.parse.code.source import Source

_CLAUSES = frozenset({"import_clause", "import_require_clause", "export_clause"})


@dataclass(frozen=True, slots=True)
class _Taken:
    """`name` of a module at a span, bound to `alias` if there is one; `*` is all of it."""

    name: str
    span: Span
    alias: str = ""
    place: int = 0
    named_first: bool = False

    def meaning(self, module: Aim) -> Imported:
        if self.name == "*":
            return Namespace(module)
        if self.name == "default":
            return Default(module, self.named_first)
        return Exported(module, self.name)


def imports(source: Source) -> Imports:
    claims: list[tuple[Span, str, Aims]] = []
    names: list[tuple[str, int, Imported]] = []
    for string, named, taken in (*_statements(source), *_required(source)):
        span = (string.start_byte + 1, string.end_byte - 1)
        specifier = source.said(*span)
        module = specifier_aim(source.path, specifier)
        if module is None or not specifier:
            continue
        if named:
            claims.append((span, specifier, (module,)))
        for one in taken:
            if module.reported and one.name not in {"*", "default"}:
                aim = export_of(module, one.name, ())._replace(reported=False)
                claims.append((one.span, f"{specifier}:{one.name}", (aim,)))
            if one.alias:
                names.append((one.alias, one.place, one.meaning(module)))
    return Imports(tuple(claims), tuple(names))


def _statements(source: Source) -> Iterator[tuple[Node, bool, list[_Taken]]]:
    for node in source.nodes("import"):
        clauses = [child for child in node.named_children if child.type in _CLAUSES]
        string = node.child_by_field_name("source")
        for clause in clauses if string is None else ():
            string = clause.child_by_field_name("source")
        if string is not None:
            yield string, True, [one for clause in clauses for one in _clause(source, clause)]


def _clause(source: Source, clause: Node) -> Iterator[_Taken]:
    for node in clause.named_children:
        if node.type == "identifier":
            yield _whole(source, node, "default")
        elif node.type == "namespace_import":
            yield from (_whole(source, name, "*") for name in node.named_children[:1])
        elif node.type == "named_imports":
            yield from (_specifier(source, one) for one in _specifiers(node))
        elif node.type == "export_specifier":
            yield replace(_specifier(source, node), alias="")


def _specifiers(node: Node) -> Iterator[Node]:
    return (child for child in node.named_children if child.type == "import_specifier")


def _specifier(source: Source, node: Node) -> _Taken:
    name = node.child_by_field_name("name") or node
    alias = node.child_by_field_name("alias") or name
    return _Taken(source.said_by(name), whole(name), source.said_by(alias), alias.start_byte)


def _whole(source: Source, node: Node, name: str) -> _Taken:
    return _Taken(name, whole(node), source.said_by(node), node.start_byte)


def _required(source: Source) -> Iterator[tuple[Node, bool, list[_Taken]]]:
    for match in source.matches("require"):
        if source.said_by(match["require"][0]) in {"require", "import"}:
            yield match["module"][0], True, []
    for match in source.matches("required"):
        if source.said_by(match["by"][0]) == "require":
            target, member = match["required"][0], match.get("member")
            yield match["of"][0], False, list(_assigned(source, target, member))


def _assigned(source: Source, target: Node, member: list[Node] | None) -> Iterator[_Taken]:
    """`const a = require(…)`, `const a = require(…).b`, `const {a, b: c} = require(…)`."""
    if target.type == "identifier":
        alias, place = source.said_by(target), target.start_byte
        if member:
            yield _Taken(source.said_by(member[0]), whole(member[0]), alias, place)
        else:
            yield _Taken("default", whole(target), alias, place, named_first=True)
    for node in target.named_children:
        key = node.child_by_field_name("key") or node
        value = node.child_by_field_name("value") or node
        if value.type in {"identifier", "shorthand_property_identifier_pattern"}:
            name, alias = source.said_by(key), source.said_by(value)
            yield _Taken(name, whole(key), alias, value.start_byte)
