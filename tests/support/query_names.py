"""The named queries that a module runs, and their files, from its source text."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from itertools import product
from types import MappingProxyType
from typing import Literal, get_args, get_origin

from tests.support.store_modules import (
    ADAPTERS,
    Functions,
    Module,
    Position,
    parts,
    string_value,
    takes_a_file,
)

UNKNOWN = "?"  # a query or a file that the text does not tell; there is none of that name
# Modules in which functions are handed the queries of a file, and whose these are.
GIVEN = MappingProxyType(
    {
        "postgres.audit": "audit.sql",
        "sql.audit_rows": "audit.sql",
        "sql.pending_snapshot": "writes.sql",
        "sql.snapshots": "reads.sql",
        "sql.stored_checksums": "checksums.sql",
        "sql.prune": "maintenance.sql",
        "sql.graph": "reads.sql",
        "sql.reference_reads": "reads.sql",
        "sql.server_rows": "server.sql",
        "sql.tenant_state": "state.sql",
        "sql.reader_session": "reads.sql",
        "sql.search": "reads.sql",
        "sql.embedding_writer": "writes.sql",
        "indexes.visible_rows": "reads.sql",
        "indexes.segment_cache": "reads.sql",
        "sql.texts": "reads.sql",
        "indexes.packed_vectors": "reads.sql",
        "indexes.external": "reads.sql",
        "sql.index_changes": "external.sql",
        "sql.verify": "maintenance.sql",
        "sql.version_rules": "access.sql",
        "sql.version_table": "state.sql",
    }
)
_RUNS = frozenset({"rows", "row", "run", "many"})
# What has `rows` of its own: they are not asked for by a query's name.
_NO_QUERIES: frozenset[tuple[str, str]] = frozenset()


class UnknownQuery(Exception):
    """It may be anything."""


@dataclass(frozen=True, slots=True, order=True)
class Use:
    place: Position
    file: str
    query: str


def uses(module: Module) -> Iterator[Use]:
    """Each query that the module may run; one that the source does not show is UNKNOWN."""
    meaning = QueryResolver(module)
    for inside, queries, query in _asking(module):
        file = file_of(module, queries, inside)
        for name in sorted(meaning.values(query, inside)):
            yield Use(module.place(inside), file, name)


def _asking(module: Module) -> Iterator[tuple[Functions, ast.expr, ast.expr]]:
    """Where a query is asked for by its name: of what, and by which name.

    A module `database` asks for what its callers name, and they are looked at.
    """
    if module.name.endswith(".database"):
        return
    for inside, part in parts(module.tree):
        match part:
            case ast.Call(func=ast.Attribute(value=queries, attr=runs)) if runs in _RUNS:
                if (module.name, ast.unparse(queries)) not in _NO_QUERIES:
                    yield inside, queries, part.args[0] if part.args else part
            case ast.Subscript(value=queries, slice=query):
                if called_name(queries) in {"_SQL", "_sql"}:
                    yield inside, queries, query
            case _:
                pass


def file_of(module: Module, queries: ast.expr, inside: Functions) -> str:
    """Named in the call, where the name is assigned, or where it is passed by callers."""
    if (file := _asked(queries)) is not None:
        return file
    source = ast.unparse(queries)
    known: Iterable[ast.AST] = [module.tree]
    if isinstance(queries, ast.Name) and source != "_SQL":
        known = inside
    found = {
        _asked(part.value)
        for scope in known
        for part in ast.walk(scope)
        if isinstance(part, ast.Assign) and source in map(ast.unparse, part.targets)
    }
    if found <= {None}:
        return GIVEN.get(module.name, UNKNOWN)
    (file, *others) = found
    return UNKNOWN if others or file is None else file


def _asked(value: ast.expr) -> str | None:
    match value:
        case ast.Call(func=ast.Attribute(attr="queries"), args=[file]):
            return string_value(file) or UNKNOWN
        case ast.Call(func=ast.Name(id=name), args=[_, file]) if takes_a_file(name):
            return string_value(file) or UNKNOWN
        case _:
            return None


@dataclass(frozen=True)
class QueryResolver:
    """The strings that an expression of a module may be: all of them, or an error."""

    module: Module
    _open: set[tuple[ast.AST, str]] = field(default_factory=set)

    def values(self, text: ast.expr, inside: Functions) -> frozenset[str]:
        try:
            return self._texts(text, inside) or frozenset({UNKNOWN})
        except UnknownQuery:
            return frozenset({UNKNOWN})

    def _texts(self, text: ast.expr, inside: Functions) -> frozenset[str]:
        match text:
            case ast.Constant(value=str(literal)):
                return frozenset({literal})
            case ast.IfExp(body=one, orelse=other):
                return self._texts(one, inside) | self._texts(other, inside)
            case ast.JoinedStr(values=pieces):
                found = [self._texts(piece, inside) for piece in pieces]
                return frozenset(map("".join, product(*found)))
            case ast.FormattedValue(value=value, conversion=-1, format_spec=None):
                return self._texts(value, inside)
            case ast.Name(id=name):
                return self._name(name, inside)
            case _:
                raise UnknownQuery

    def _name(self, name: str, inside: Functions) -> frozenset[str]:
        """Whatever the name is given, in the innermost function that gives it anything."""
        scope = inside[-1] if inside else self.module.tree
        if (scope, name) in self._open:
            return frozenset()
        self._open.add((scope, name))
        try:
            found = [(value, inside) for value in given(self.module, scope, name)]
            if inside and name in _parameters(inside[-1]):
                if (choice := self._choice(inside[-1], name)) is not None:
                    return choice | self._all(found)
                found.extend(self._passed(inside[-1], name))
            if found:
                return self._all(found)
        finally:
            self._open.remove((scope, name))
        if not inside:
            raise UnknownQuery
        return self._name(name, inside[:-1])

    def _all(self, found: Iterable[tuple[ast.expr, Functions]]) -> frozenset[str]:
        return frozenset[str]().union(*(self._texts(*one) for one in found))

    def _choice(self, function: ast.FunctionDef, name: str) -> frozenset[str] | None:
        """Of a parameter whose type says what it may be."""
        annotation = _parameters(function)[name].annotation
        if isinstance(annotation, ast.Name):
            kind = vars(import_module(f"{ADAPTERS}.{self.module.name}")).get(annotation.id)
            if get_origin(kind) is Literal:
                return frozenset(get_args(kind))
        return None

    def _passed(self, function: ast.FunctionDef, name: str) -> Iterator[tuple[ast.expr, Functions]]:
        """What a function is called with, if it is this module's own and just called."""
        if not function.name.startswith("_") or self._defined.count(function.name) != 1:
            raise UnknownQuery
        called = [call for call in self._calls if called_name(call[0].func) == function.name]
        if len(called) != self._named.count(function.name):
            raise UnknownQuery
        for call, inside in called:
            yield argument(call, function, name), inside

    @cached_property
    def _calls(self) -> list[tuple[ast.Call, Functions]]:
        return [(p, inside) for inside, p in parts(self.module.tree) if isinstance(p, ast.Call)]

    @cached_property
    def _defined(self) -> list[str]:
        walk = ast.walk(self.module.tree)
        return [part.name for part in walk if isinstance(part, ast.FunctionDef)]

    @cached_property
    def _named(self) -> list[str]:
        walk = ast.walk(self.module.tree)
        return [called_name(p) for p in walk if isinstance(p, ast.Name | ast.Attribute)]


def called_name(function: ast.expr) -> str:
    match function:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def _parameters(function: ast.FunctionDef) -> dict[str, ast.arg]:
    given = function.args
    return {one.arg: one for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)}


def argument(call: ast.Call, function: ast.FunctionDef, name: str) -> ast.expr:
    """What one call gives a parameter; a default is not looked for."""
    places = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
    if places[:1] == ["self"]:
        del places[0]
    at = places.index(name) if name in places else len(call.args)
    if any(isinstance(one, ast.Starred) for one in call.args):
        raise UnknownQuery
    if at < len(call.args):
        return call.args[at]
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    raise UnknownQuery


def given(module: Module, scope: ast.AST, name: str) -> list[ast.expr]:
    """All that a name is given in a scope; untold, if it gets anything in some other way."""
    known: dict[ast.AST, list[ast.expr]] = {}
    for target, value in _pairs(module, scope):
        known.setdefault(target, []).append(value)
    parameters = _parameters(scope).values() if isinstance(scope, ast.FunctionDef) else ()
    found: list[ast.expr] = []
    for part in own(scope):
        match part:
            case ast.Name(id=stored, ctx=ast.Store()) if stored == name:
                if part not in known:
                    raise UnknownQuery
                found.extend(known[part])
            case ast.arg(arg=hidden) if hidden == name and part not in parameters:
                raise UnknownQuery
    return found


def _pairs(module: Module, scope: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Names, each with something that it is given."""
    for part in own(scope):
        match part:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    yield from _matched(target, value)
            case ast.For(target=target, iter=many) | ast.comprehension(target=target, iter=many):
                for one in elements(module, many):
                    yield from _matched(target, one)
            case _:
                pass


def _matched(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    match target, value:
        case ast.Name(), _:
            yield target, value
        case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
            for one, other in zip(targets, values, strict=True):
                yield from _matched(one, other)


def elements(module: Module, many: ast.expr) -> list[ast.expr]:
    """Of a tuple that is written out, here or as a constant; or of such a constant's items."""
    match many:
        case ast.Tuple(elts=found):
            return found
        case ast.Name(id=name):
            return [one for value in constant(module, name) for one in elements(module, value)]
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="items"), args=[]):
            return [one for value in constant(module, name) for one in _items(value)]
        case _:
            return []


def constant(module: Module, name: str) -> list[ast.expr]:
    return given(module, module.tree, name) if name.isupper() else []


def _items(mapping: ast.expr) -> list[ast.expr]:
    """As pairs; none, if some of them are not written out."""
    match mapping:
        case ast.Call(func=ast.Name(id="MappingProxyType"), args=[ast.Dict(keys, values)]):
            pairs = zip(keys, values, strict=True)
            tuples = [
                ast.Tuple([key, value], ast.Load()) for key, value in pairs if key is not None
            ]
            return [*tuples] if len(tuples) == len(keys) else []
        case _:
            return []


def own(scope: ast.AST) -> Iterator[ast.AST]:
    """What stands in a module or a function, and in none of the functions and classes in it."""
    for child in ast.iter_child_nodes(scope):
        yield child
        if not isinstance(child, ast.FunctionDef | ast.ClassDef):
            yield from own(child)
