"""What a Python file imports: the keys of modules, and what the imported names resolve to."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from tree_sitter import Node

from docgraph.ingest.languages.bindings import (
    MAX_ALTERNATIVES,
    MAX_IMPORT_CHARACTERS,
    RANK_STEP,
    Chain,
    Imported,
    Targets,
    in_order,
)
from docgraph.ingest.languages.language import Imports, Span, span_of
from docgraph.ingest.languages.source import SourceCode
from docgraph.model.reference import ReferenceTarget

_SUFFIX = ".py"
_PACKAGE = "__init__"
_DISTANCE_WEIGHT = 4  # ranks from one folder to the next: symbol, submodule; package, module
_SUBMODULE_RANK = 2  # what a module defines comes before a file of that name beside it


def module_name(path: str) -> str:
    """As in an import: `src/docgraph/engine.py` is `docgraph.engine`."""
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
    """Keys with their ranks. A folder that is no identifier cannot be part of an import."""
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


def module_targets(
    importer: str, module: str, inner: str = "", *, rank: int = 0, report_unresolved: bool = True
) -> Targets:
    """What `module` may mean in that file; with `inner`, only a module that has such a thing."""
    return _make_targets(importer, module, "", inner, rank, report_unresolved)


def submodule_targets(
    importer: str,
    package: str,
    name: str,
    inner: str = "",
    *,
    rank: int,
    report_unresolved: bool = True,
) -> Targets:
    """A module in a package; modules of the standard library are not looked for."""
    if is_standard(package):
        return ()
    return _make_targets(importer, package, name, inner, rank, report_unresolved)


@lru_cache(maxsize=4096)
def _make_targets(
    importer: str, package: str, name: str, inner: str, rank: int, report_unresolved: bool
) -> Targets:
    module = package if not name else f"{package}{'' if package.endswith('.') else '.'}{name}"
    symbol = (f"::{inner}" if inner else "", bool(inner), rank)
    if package.startswith("."):
        path = _relative_path(importer, module)
        return (
            ()
            if path is None
            else (ReferenceTarget(f"pyfile:{path}", *symbol, 0, report_unresolved),)
        )
    if is_standard(package):
        return (
            ReferenceTarget(f"pyroot:{module}", *symbol, _DISTANCE_WEIGHT, report_unresolved=False),
        )
    if "." in package:
        return (ReferenceTarget(f"py:{module}", *symbol, _DISTANCE_WEIGHT, report_unresolved),)
    beside = f"{importer.rpartition('/')[0]}/{module.replace('.', '/')}".lstrip("/")
    return (
        ReferenceTarget(f"pyroot:{module}", *symbol, _DISTANCE_WEIGHT, report_unresolved),
        ReferenceTarget(f"pyfile:{beside}", *symbol, _DISTANCE_WEIGHT, report_unresolved),
    )


def _relative_path(importer: str, module: str) -> str | None:
    """The first dot is the importer's folder, each further one a folder up."""
    inner = module.lstrip(".")
    up = len(module) - len(inner) - 1
    folders = importer.split("/")[:-1]
    if up > len(folders):
        return None
    below = inner.split(".") if inner else []
    return "/".join([*folders[: len(folders) - up], *below])


@dataclass(frozen=True, slots=True)
class Module:
    """`import a.b as c`; `known` are all modules that the file imports by their full names."""

    importer: str
    name: str
    known: frozenset[str]

    def resolve(self, rest: Chain) -> Targets | None:
        name = self.name
        while rest and f"{name}.{rest[0]}" in self.known:
            name, rest = f"{name}.{rest[0]}", rest[1:]
        return _resolve_in_module(self.importer, name, rest) if rest else None

    def resolve_member(self, rest: Chain) -> Targets | None:
        return self.resolve(rest)


@dataclass(frozen=True, slots=True)
class Name:
    """`from a.b import c`."""

    importer: str
    module: str
    name: str

    def resolve(self, rest: Chain) -> Targets | None:
        return _resolve_in_module(self.importer, self.module, (self.name, *rest))

    def resolve_member(self, rest: Chain) -> Targets | None:
        if is_standard(self.module):
            return ()
        return module_targets(self.importer, self.module, ".".join((self.name, *rest)))


@dataclass(frozen=True, slots=True)
class _ImportedName:
    name: str
    alias: str
    span: Span


@dataclass(frozen=True, slots=True)
class _Statement:
    """Imports names from a module; where there is no `module`, the names are modules."""

    module: str
    span: Span
    names: tuple[_ImportedName, ...]
    star: bool


def read_imports(source: SourceCode) -> Imports:
    statements = [_read_statement(source, node) for node in source.nodes("import")]
    modules = [name.name for one in statements if not one.module for name in one.names]
    known = frozenset(prefix for module in modules for prefix in _prefixes(module))
    starred = dict.fromkeys(one.module for one in reversed(statements) if one.star)
    stars = tuple(starred)[:MAX_ALTERNATIVES]

    def resolve_unbound(chain: Chain) -> Targets | None:
        """After `from a import *` a name may come from there, from the last one first."""
        return in_order(*(_resolve_in_module(source.path, module, chain) for module in stars))

    return Imports(
        tuple(each for one in statements for each in _list_references(source.path, one)),
        tuple(each for one in statements for each in _list_bindings(source.path, one, known)),
        resolve_unbound,
    )


def _read_statement(source: SourceCode, node: Node) -> _Statement:
    module = node.child_by_field_name("module_name")
    named = (_read_name(source, child) for child in node.children_by_field_name("name"))
    names = tuple(one for one in named if len(one.name) <= MAX_IMPORT_CHARACTERS)
    if module is None:
        return _Statement("", (0, 0), names, star=False)
    star = any(child.type == "wildcard_import" for child in node.named_children)
    text = _dotted_text(source, module)
    if len(text) > MAX_IMPORT_CHARACTERS:
        return _Statement("", (0, 0), (), star=False)
    return _Statement(text, span_of(module), names, star)


def _read_name(source: SourceCode, node: Node) -> _ImportedName:
    name = node.child_by_field_name("name") or node
    alias = node.child_by_field_name("alias")
    alias_text = _dotted_text(source, alias) if alias else ""
    return _ImportedName(_dotted_text(source, name), alias_text, span_of(name))


def _list_references(importer: str, one: _Statement) -> Iterator[tuple[Span, str, Targets]]:
    """A package without a file of its own is found by the first module imported from it."""
    if not one.module:
        for each in one.names:
            yield each.span, each.name, module_targets(importer, each.name)
        return
    targets = module_targets(importer, one.module)
    for each in one.names[:1]:
        targets += submodule_targets(importer, one.module, each.name, rank=RANK_STEP)
    yield one.span, one.module, targets
    for each in one.names if not is_standard(one.module) else ():
        symbol = module_targets(importer, one.module, each.name, report_unresolved=False)
        file = submodule_targets(
            importer, one.module, each.name, rank=_SUBMODULE_RANK, report_unresolved=False
        )
        yield each.span, f"{one.module}:{each.name}", symbol + file


def _list_bindings(
    importer: str, one: _Statement, known: frozenset[str]
) -> Iterator[tuple[str, int, Imported]]:
    for each in one.names:
        position = each.span[0]
        if one.module:
            yield each.alias or each.name, position, Name(importer, one.module, each.name)
        elif each.alias:
            yield each.alias, position, Module(importer, each.name, known)
        else:
            first = each.name.partition(".")[0]
            yield first, position, Module(importer, first, known)


def _resolve_in_module(importer: str, module: str, rest: Chain) -> Targets:
    """A symbol of the module, else of its submodule; the standard library is not followed."""
    if is_standard(module):
        return ()
    symbol = module_targets(importer, module, ".".join(rest))
    if len(rest) == 1:
        return symbol
    inner = ".".join(rest[1:])
    return symbol + submodule_targets(importer, module, rest[0], inner, rank=_SUBMODULE_RANK)


def _prefixes(module: str) -> Iterator[str]:
    parts = module.split(".")
    return (".".join(parts[:length]) for length in range(1, len(parts) + 1))


def _dotted_text(source: SourceCode, node: Node) -> str:
    """Without the white space that Python allows around dots."""
    return "".join(source.node_text(node).split())
