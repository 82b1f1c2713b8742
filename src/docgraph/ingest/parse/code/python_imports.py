"""What a Python file's import statements name, and what those names then mean."""

from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from docgraph.ingest.parse.code.language import Imports, Span, whole
from docgraph.ingest.parse.code.meaning import STEP, Aims, Chain, Imported, one_after_another
from docgraph.ingest.parse.code.python_modules import is_standard, module_aims, submodule_aims
from docgraph.ingest.parse.code.source import Source

_SUBMODULE = 2  # what a module defines comes before a file of that name beside it


@dataclass(frozen=True, slots=True)
class Module:
    """`import a.b as c`; `known` are all modules that the file imports by their full names."""

    importer: str
    name: str
    known: frozenset[str]

    def aims(self, rest: Chain) -> Aims | None:
        name = self.name
        while rest and f"{name}.{rest[0]}" in self.known:
            name, rest = f"{name}.{rest[0]}", rest[1:]
        return _inside(self.importer, name, rest) if rest else None

    def member(self, rest: Chain) -> Aims | None:
        return self.aims(rest)


@dataclass(frozen=True, slots=True)
class Name:
    """`from a.b import c`."""

    importer: str
    module: str
    name: str

    def aims(self, rest: Chain) -> Aims | None:
        return _inside(self.importer, self.module, (self.name, *rest))

    def member(self, rest: Chain) -> Aims | None:
        if is_standard(self.module):
            return ()
        return module_aims(self.importer, self.module, ".".join((self.name, *rest)))


@dataclass(frozen=True, slots=True)
class _Taken:
    name: str
    alias: str
    span: Span


@dataclass(frozen=True, slots=True)
class _Statement:
    """Takes names out of a module; where there is no `module`, the names are modules."""

    module: str
    span: Span
    taken: tuple[_Taken, ...]
    star: bool


def imports(source: Source) -> Imports:
    statements = [_statement(source, node) for node in source.nodes("import")]
    modules = [taken.name for one in statements if not one.module for taken in one.taken]
    known = frozenset(prefix for module in modules for prefix in _prefixes(module))
    stars = [one.module for one in statements if one.star][::-1]

    def elsewhere(chain: Chain) -> Aims | None:
        """After `from a import *` a name may come from there, from the last one first."""
        return one_after_another(*(_inside(source.path, module, chain) for module in stars))

    return Imports(
        tuple(claim for one in statements for claim in _claims(source.path, one)),
        tuple(name for one in statements for name in _names(source.path, one, known)),
        elsewhere,
    )


def _statement(source: Source, node: Node) -> _Statement:
    module = node.child_by_field_name("module_name")
    taken = tuple(_taken(source, child) for child in node.children_by_field_name("name"))
    if module is None:
        return _Statement("", (0, 0), taken, star=False)
    star = not taken and any(child.type == "wildcard_import" for child in node.named_children)
    return _Statement(_dotted(source, module), whole(module), taken, star)


def _taken(source: Source, node: Node) -> _Taken:
    name = node.child_by_field_name("name") or node
    alias = node.child_by_field_name("alias")
    return _Taken(_dotted(source, name), _dotted(source, alias) if alias else "", whole(name))


def _claims(importer: str, one: _Statement) -> Iterator[tuple[Span, str, Aims]]:
    """A package without a file of its own is found by the first module taken out of it."""
    if not one.module:
        for taken in one.taken:
            yield taken.span, taken.name, module_aims(importer, taken.name)
        return
    aims = module_aims(importer, one.module)
    for taken in one.taken[:1]:
        aims += submodule_aims(importer, one.module, taken.name, rank=STEP)
    yield one.span, one.module, aims
    for taken in one.taken if not is_standard(one.module) else ():
        defined = module_aims(importer, one.module, taken.name, told=False)
        file = submodule_aims(importer, one.module, taken.name, rank=_SUBMODULE, told=False)
        yield taken.span, f"{one.module}:{taken.name}", defined + file


def _names(
    importer: str, one: _Statement, known: frozenset[str]
) -> Iterator[tuple[str, int, Imported]]:
    for taken in one.taken:
        place = taken.span[0]
        if one.module:
            yield taken.alias or taken.name, place, Name(importer, one.module, taken.name)
        elif taken.alias:
            yield taken.alias, place, Module(importer, taken.name, known)
        else:
            first = taken.name.partition(".")[0]
            yield first, place, Module(importer, first, known)


def _inside(importer: str, module: str, rest: Chain) -> Aims:
    """What the module defines, else what a module inside it does; Python's own is not followed."""
    if is_standard(module):
        return ()
    defined = module_aims(importer, module, ".".join(rest))
    if len(rest) == 1:
        return defined
    inner = ".".join(rest[1:])
    return defined + submodule_aims(importer, module, rest[0], inner, rank=_SUBMODULE)


def _prefixes(module: str) -> Iterator[str]:
    parts = module.split(".")
    return (".".join(parts[:length]) for length in range(1, len(parts) + 1))


def _dotted(source: Source, node: Node) -> str:
    """Without the white space that Python allows around dots."""
    return "".join(source.said_by(node).split())
