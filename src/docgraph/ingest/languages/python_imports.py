"""What a Python file's import statements name, and what those names then mean."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from tree_sitter import Node

from docgraph.ingest.languages.bindings import STEP, Aim, Aims, Chain, Imported, in_order
from docgraph.ingest.languages.language import Imports, Span, whole
from docgraph.ingest.languages.source import Source

# By which keys a Python module goes, and which keys a module's name may mean.


_SUFFIX = ".py"
_PACKAGE = "__init__"
_NEAR = 4  # ranks from one folder to the next: symbol, submodule; package, module


def module_name(path: str) -> str:
    """What a person calls it: `src/docgraph/engine.py` is `docgraph.engine`."""
    parts = path.split("/")
    parts[-1] = parts[-1].rpartition(".")[0] or parts[-1]
    if "src" in parts[:-1]:
        parts = parts[len(parts) - parts[::-1].index("src") :]
    if parts[-1] == _PACKAGE:
        parts = parts[:-1]
    while parts and not all(part.isidentifier() for part in parts):
        parts = parts[1:]
    return ".".join(parts) or path.rpartition("/")[2]


def module_keys(path: str) -> Iterator[tuple[str, int]]:
    """Keys with their ranks. What is no identifier ends the names by which it can be imported."""
    parts = path.removesuffix(_SUFFIX).split("/")
    rank = 1
    if parts[-1] == _PACKAGE:
        parts, rank = parts[:-1], 0
    yield f"pyfile:{'/'.join(parts)}", rank
    for length in range(1, len(parts) + 1):
        if not parts[-length].isidentifier():
            return
        name = ".".join(parts[-length:])
        if length > 1:
            yield f"py:{name}", rank
        if length == len(parts) or parts[-length - 1] == "src":
            yield f"pyroot:{name}", rank


def is_standard(module: str) -> bool:
    return module.partition(".")[0] in sys.stdlib_module_names


def module_aims(
    importer: str, module: str, inner: str = "", *, rank: int = 0, told: bool = True
) -> Aims:
    """What `module` may mean in that file; with `inner`, only a module that has such a thing."""
    return _aims(importer, module, "", inner, rank, told)


def submodule_aims(
    importer: str, package: str, name: str, inner: str = "", *, rank: int, told: bool = True
) -> Aims:
    """A module in a package; nobody has to look for one in the standard library."""
    return () if is_standard(package) else _aims(importer, package, name, inner, rank, told)


@lru_cache(maxsize=4096)
def _aims(importer: str, package: str, name: str, inner: str, rank: int, told: bool) -> Aims:
    module = package if not name else f"{package}{'' if package.endswith('.') else '.'}{name}"
    inside, standard = f"::{inner}" if inner else "", is_standard(package)
    how = (inside, bool(inner), rank)
    if package.startswith("."):
        found = _relative(importer, module)
        return () if found is None else (Aim(f"pyfile:{found}", *how, 0, told),)
    if standard:
        return (Aim(f"pyroot:{module}", *how, _NEAR, reported=False),)
    if "." in package:
        return (Aim(f"py:{module}", *how, _NEAR, told),)
    beside = f"{importer.rpartition('/')[0]}/{module.replace('.', '/')}".lstrip("/")
    return (
        Aim(f"pyroot:{module}", *how, _NEAR, told),
        Aim(f"pyfile:{beside}", *how, _NEAR, told),
    )


def _relative(importer: str, module: str) -> str | None:
    """The first dot is the importer's folder, each further one a folder up."""
    inner = module.lstrip(".")
    up = len(module) - len(inner) - 1
    folders = importer.split("/")[:-1]
    if up > len(folders):
        return None
    below = inner.split(".") if inner else []
    return "/".join([*folders[: len(folders) - up], *below])


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
        return in_order(*(_inside(source.path, module, chain) for module in stars))

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
    return "".join(source.node_text(node).split())
