"""The scopes of a file of code: what a name is bound to at a position."""

import sys
from collections.abc import Iterator, Sequence

from docgraph.ingest.languages.bindings import (
    LOCAL,
    Bases,
    Binding,
    Instance,
    Owner,
    Symbol,
    merge_bindings,
)
from docgraph.ingest.languages.definitions import OWNERS, SymbolDefinition
from docgraph.ingest.languages.language import Imports, Language, Span, span_of
from docgraph.ingest.languages.source import SourceCode, SpanTree
from docgraph.ingest.parsed_file import Part

FILE_SCOPE = 0
_EVERYWHERE = (-1, sys.maxsize)
FILE, BLOCK, FUNCTION, OWNER = "file", "block", "function", "owner"


class Scopes:
    """Spans in which names are local. Names of an OWNER, a class or object, are its members.

    Of equal spans the one that is given first contains the other. Scope 0 is the file; `numbers`
    are those of the spans in the order in which they were given.
    """

    def __init__(self, language: Language, spans: Sequence[tuple[Span, str]]) -> None:
        order = sorted(range(len(spans)), key=lambda at: (spans[at][0][0], -spans[at][0][1], at))
        self.numbers = [0] * len(spans)
        for number, at in enumerate(order, start=1):
            self.numbers[at] = number
        self._spans = [_EVERYWHERE, *(spans[at][0] for at in order)]
        self._kinds = [FILE, *(spans[at][1] for at in order)]
        self._tree = SpanTree(self._spans)
        self._functions: list[int] = []
        for scope, kind in enumerate(self._kinds):
            inner = kind == BLOCK
            self._functions.append(self._functions[self.around(scope)] if inner else scope)
        self._always = frozenset({*language.self_words, *language.super_words})
        self._access = language.member_access
        self._bound: dict[str, dict[int, Binding]] = {}
        self._lookups: dict[str, tuple[list[int], SpanTree]] = {}

    def at(self, position: int) -> int:
        return self._tree.at(position)

    def around(self, scope: int) -> int:
        return self._tree.parents[scope]

    def function_around(self, scope: int) -> int:
        """The scope of a name that is not local to its block."""
        return self._functions[scope]

    def is_owner(self, scope: int) -> bool:
        return self._kinds[scope] == OWNER

    def bind(self, name: str, scope: int, binding: Binding) -> None:
        here = self._bound.setdefault(name, {})
        if scope in here:
            here[scope] = merge_bindings(here[scope], binding)
        else:
            here[scope] = binding
            self._lookups.pop(name, None)

    def lookup_member(self, name: str, scope: int) -> Binding | None:
        return self._bound.get(name, {}).get(scope)

    def is_same_everywhere(self, name: str) -> bool:
        bound = self._bound.get(name)
        return bound is None or (len(bound) == 1 and FILE_SCOPE in bound)

    def lookup(self, name: str, position: int) -> Binding | None:
        """The binding in the innermost scope that binds the name and is visible there."""
        bound = self._bound.get(name)
        if bound is None:
            return None
        if len(bound) == 1 and FILE_SCOPE in bound:
            return bound[FILE_SCOPE]
        return next((bound[scope] for scope in self._visible_scopes(name, position)), None)

    def lookup_type(self, name: str, position: int) -> Binding | None:
        """Variables do not hide types: a property may be called like its class."""
        bound = self._bound.get(name)
        if bound is None:
            return None
        bindings = (bound[scope] for scope in self._visible_scopes(name, position))
        return next((one for one in bindings if not isinstance(one, Instance)), None)

    def mark_unknown(self, name: str, position: int) -> None:
        """An assignment there: from then on nothing is known of the name."""
        for scope in self._visible_scopes(name, position) if name in self._bound else ():
            self._bound[name][scope] = LOCAL
            break

    def _visible_scopes(self, name: str, position: int) -> Iterator[int]:
        """Scopes that bind the name and are visible at that position, innermost first."""
        if name not in self._lookups:
            scopes = sorted(self._bound[name])
            self._lookups[name] = scopes, SpanTree([self._spans[scope] for scope in scopes])
        scopes, tree = self._lookups[name]
        at = tree.at(position)
        while at >= 0:
            if self._is_visible(scopes[at], name, position):
                yield scopes[at]
            at = tree.parents[at]

    def _is_visible(self, scope: int, name: str, position: int) -> bool:
        if self._kinds[scope] != OWNER or name in self._always or self._access == "nested":
            return True
        return self._access == "direct" and self._tree.at(position) == scope


class ScopeBuilder:
    """Makes the scopes of a file and binds its definitions and imports in them.

    `inside` is each definition's own scope, `bound_positions` where the bound names are.
    """

    def __init__(
        self, language: Language, source: SourceCode, definitions: Sequence[SymbolDefinition]
    ) -> None:
        self._language, self._source, self._definitions = language, source, definitions
        self.scopes = Scopes(language, list(self._spans()))
        self.inside = self.scopes.numbers[: len(definitions)]
        self.bound_positions = {one.name_start for one in definitions}

    def _spans(self) -> Iterator[tuple[Span, str]]:
        for one in self._definitions:
            yield one.inside, OWNER if one.kind in OWNERS else FUNCTION
        for role, kind in (("object", OWNER), ("closure", FUNCTION), ("scope", BLOCK)):
            yield from ((span_of(node), kind) for node in self._source.nodes(role))

    def bind_definitions(self) -> None:
        call_mark = "()" if self._language.separate_call_names else ""
        for index, one in enumerate(self._definitions):
            if one.bound:
                name = one.name + (call_mark if one.kind == "function" else "")
                self.scopes.bind(name, self.scopes.around(self.inside[index]), Symbol(index))
            if one.kind in OWNERS:
                self._bind_words(self.inside[index], Owner(index), Bases(index))
        for role in ("object", "rebinds"):
            for node in self._source.nodes(role):
                self._bind_words(self.scopes.at(node.start_byte), LOCAL, LOCAL)

    def _bind_words(self, scope: int, own: Binding, bases: Binding) -> None:
        """Binds `this` and `super`: known in a class, unknown in a function with its own `this`."""
        for word in self._language.self_words:
            self.scopes.bind(word, scope, own)
        for word in self._language.super_words:
            self.scopes.bind(word, scope, bases)

    def bind_imports(self, imports: Imports) -> None:
        for name, position, imported in imports.bindings:
            self.bound_positions.add(position)
            self.scopes.bind(name, self.scopes.at(position), imported)

    def bind_receivers(self, parts: Sequence[Part]) -> None:
        """A method's first parameter is the object itself, whatever it is called."""
        methods = {scope: at for at, scope in enumerate(self.inside) if parts[at].kind == "method"}
        for name, position in self._source.names("receiver"):
            scope = self.scopes.at(position)
            at = methods.get(scope)
            owner = parts[at].parent if at is not None else None
            if at is not None and owner is not None and not self._is_static(at, position):
                self.scopes.bind(name, scope, Owner(owner))
                self.bound_positions.add(position)

    def _is_static(self, method: int, position: int) -> bool:
        return b"@staticmethod" in self._source.data[self._definitions[method].start : position]
