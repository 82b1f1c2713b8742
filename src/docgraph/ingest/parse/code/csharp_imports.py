"""Namespaces of a C# file: those around its types, and those that it uses."""

from collections.abc import Callable

from tree_sitter import Node

from docgraph.ingest.parse.code.full_names import Type
from docgraph.ingest.parse.code.language import Imports, Span, whole
from docgraph.ingest.parse.code.meaning import Aims, Chain, Imported, one_after_another
from docgraph.ingest.parse.code.nesting import Nesting
from docgraph.ingest.parse.code.source import Source

_PLATFORM = ("System", "Microsoft", "Windows")
_MOST = 12  # namespaces in which one name is looked for


def imports(source: Source) -> Imports:
    claims: list[tuple[Span, str, Aims]] = []
    names: list[tuple[str, int, Imported]] = []
    used: list[str] = []
    static: list[Type] = []
    for node in source.nodes("import"):
        name, span, alias = _using(source, node)
        found = Type(f"cs:{name}", told=not _platform(name))
        is_static = any(child.type == "static" for child in node.children)
        if alias is not None:
            names.append((source.said_by(alias), alias.start_byte, found))
        elif is_static:
            static.append(found)
        elif not _platform(name):
            used.append(f"{name}.")
        if alias is not None or is_static:
            claims.append((span, name, found.aims(()) or ()))
    namespaces = tuple(dict.fromkeys((*_declared(source), *used)))[:_MOST]

    def elsewhere(chain: Chain) -> Aims | None:
        if chain[0].endswith("()"):
            return one_after_another(*(one.aims(chain) for one in static))
        return _of_a_type(namespaces, chain) if chain[0][:1].isupper() else None

    return Imports(tuple(claims), tuple(names), elsewhere)


def namespace_at(source: Source) -> Callable[[int], str]:
    """From a character's offset to the namespace there, with a dot at its end, or empty."""
    found = sorted(_namespaces(source))
    nesting = Nesting([(start, -end) for start, end, _ in found])

    def at(place: int) -> str:
        name, index = "", nesting.at(place)
        while index >= 0:
            name, index = f"{found[index][2]}.{name}", nesting.parents[index]
        return name

    return at


def _namespaces(source: Source) -> list[tuple[int, int, str]]:
    """(start, minus end, name), so that outer ones come first; one without a block never ends."""
    found = []
    for match in source.matches("namespace"):
        node = match["around" if "around" in match else "onwards"][0]
        end = source.place(node.end_byte) if "around" in match else len(source.text) + 1
        name = "".join(source.said_by(match["namespace"][0]).split())
        found.append((source.place(node.start_byte), -end, name))
    return found


def _declared(source: Source) -> list[str]:
    """The namespaces around the file's types, inner ones first, else the nameless one."""
    at = namespace_at(source)
    found: dict[str, None] = {}
    for start, _, _ in sorted(_namespaces(source)):
        parts = at(start).split(".")[:-1]
        found.update((f"{'.'.join(parts[:size])}.", None) for size in range(len(parts), 0, -1))
    return list(found) or [""]


def _using(source: Source, node: Node) -> tuple[str, Span, Node | None]:
    alias = node.child_by_field_name("name")
    name = next(reversed(node.named_children), node)
    return "".join(source.said_by(name).split()), whole(name), alias


def _platform(name: str) -> bool:
    return name.partition(".")[0] in _PLATFORM


def _of_a_type(namespaces: tuple[str, ...], chain: Chain) -> Aims | None:
    """In the first namespace that has such a type; else the name may be given in full."""
    near = [Type(f"cs:{name}{chain[0]}", told=False).aims(chain[1:]) for name in namespaces]
    called = chain[-1].endswith("()")
    full, rest = (chain[:-1], chain[-1:]) if called else (chain, ())
    if len(full) > 1:
        near.append(Type(f"cs:{'.'.join(full)}", told=False).aims(rest))
    return one_after_another(*near)
