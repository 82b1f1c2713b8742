"""Scopes: which meaning a name has at a place."""

import sys
from collections.abc import Iterator, Sequence

from docgraph.ingest.languages.bindings import (
    LOCAL,
    Bases,
    Binding,
    Instance,
    Owner,
    Symbol,
    merged,
)
from docgraph.ingest.languages.definitions import OWNERS, SymbolDefinition
from docgraph.ingest.languages.language import Imports, Language, Span, whole
from docgraph.ingest.languages.source import Source, SpanTree
from docgraph.ingest.parsed_file import Part

FILE_SCOPE = 0
_EVERYWHERE = (-1, sys.maxsize)
FILE, BLOCK, FUNCTION, OWNER = "file", "block", "function", "owner"


class Scopes:
    """Spans in which names are local. Names of an OWNER, a class or object, are its members.

    Of equal spans the one that is given first holds the other. Scope 0 is the file; `numbers`
    are those of the spans in the order in which they were given.
    """

    def __init__(self, language: Language, spans: Sequence[tuple[Span, str]]) -> None:
        order = sorted(range(len(spans)), key=lambda at: (spans[at][0][0], -spans[at][0][1], at))
        self.numbers = [0] * len(spans)
        for number, at in enumerate(order, start=1):
            self.numbers[at] = number
        self._spans = [_EVERYWHERE, *(spans[at][0] for at in order)]
        self._kinds = [FILE, *(spans[at][1] for at in order)]
        self._nesting = SpanTree(self._spans)
        self._functions: list[int] = []
        for scope, kind in enumerate(self._kinds):
            inner = kind == BLOCK
            self._functions.append(self._functions[self.around(scope)] if inner else scope)
        self._always = frozenset({*language.self_words, *language.super_words})
        self._members = language.members
        self._bound: dict[str, dict[int, Binding]] = {}
        self._lookups: dict[str, tuple[list[int], SpanTree]] = {}

    def at(self, place: int) -> int:
        return self._nesting.at(place)

    def around(self, scope: int) -> int:
        return self._nesting.parents[scope]

    def function_around(self, scope: int) -> int:
        """Where a name lives that no block keeps to itself."""
        return self._functions[scope]

    def is_owner(self, scope: int) -> bool:
        return self._kinds[scope] == OWNER

    def bind(self, name: str, scope: int, meaning: Binding) -> None:
        here = self._bound.setdefault(name, {})
        if scope in here:
            here[scope] = merged(here[scope], meaning)
        else:
            here[scope] = meaning
            self._lookups.pop(name, None)

    def member(self, name: str, scope: int) -> Binding | None:
        return self._bound.get(name, {}).get(scope)

    def is_same_everywhere(self, name: str) -> bool:
        bound = self._bound.get(name)
        return bound is None or (len(bound) == 1 and FILE_SCOPE in bound)

    def meaning(self, name: str, place: int) -> Binding | None:
        """That of the innermost scope which binds the name and shows it to that place."""
        bound = self._bound.get(name)
        if bound is None:
            return None
        if len(bound) == 1 and FILE_SCOPE in bound:
            return bound[FILE_SCOPE]
        return next((bound[scope] for scope in self._binding(name, place)), None)

    def meaning_of_type(self, name: str, place: int) -> Binding | None:
        """A variable hides no type: a property may be called like its class."""
        bound = self._bound.get(name)
        if bound is None:
            return None
        found = (bound[scope] for scope in self._binding(name, place))
        return next((one for one in found if not isinstance(one, Instance)), None)

    def unsettle(self, name: str, place: int) -> None:
        """What is assigned to there may mean anything from then on."""
        for scope in self._binding(name, place) if name in self._bound else ():
            self._bound[name][scope] = LOCAL
            break

    def _binding(self, name: str, place: int) -> Iterator[int]:
        """Scopes that bind the name and show it to that place, from the inside out."""
        if name not in self._lookups:
            scopes = sorted(self._bound[name])
            self._lookups[name] = scopes, SpanTree([self._spans[scope] for scope in scopes])
        scopes, nesting = self._lookups[name]
        at = nesting.at(place)
        while at >= 0:
            if self._shows(scopes[at], name, place):
                yield scopes[at]
            at = nesting.parents[at]

    def _shows(self, scope: int, name: str, place: int) -> bool:
        if self._kinds[scope] != OWNER or name in self._always or self._members == "nested":
            return True
        return self._members == "direct" and self._nesting.at(place) == scope


# Binding: every scope of a file, with the definitions and imports that live in it.


_STATIC = b"@staticmethod"


class ScopeBuilder:
    """`inside` is each definition's own scope; `settled` are the places of names that are bound."""

    def __init__(
        self, language: Language, source: Source, found: Sequence[SymbolDefinition]
    ) -> None:
        self._language, self._source, self._found = language, source, found
        self.scopes = Scopes(language, list(self._spans()))
        self.inside = self.scopes.numbers[: len(found)]
        self.settled = {one.named for one in found}

    def _spans(self) -> Iterator[tuple[Span, str]]:
        for one in self._found:
            yield one.inside, OWNER if one.kind in OWNERS else FUNCTION
        for role, kind in (("object", OWNER), ("closure", FUNCTION), ("scope", BLOCK)):
            yield from ((whole(node), kind) for node in self._source.nodes(role))

    def bind_definitions(self) -> None:
        bind, apart = self.scopes.bind, "()" if self._language.calls_apart else ""
        for index, one in enumerate(self._found):
            if one.bound:
                name = one.name + (apart if one.kind == "function" else "")
                bind(name, self.scopes.around(self.inside[index]), Symbol(index))
            if one.kind in OWNERS:
                self._bind_words(self.inside[index], Owner(index), Bases(index))
        for role in ("object", "rebinds"):
            for node in self._source.nodes(role):
                self._bind_words(self.scopes.at(node.start_byte), LOCAL, LOCAL)

    def _bind_words(self, scope: int, own: Binding, above: Binding) -> None:
        """A class binds `this` and `super`; a function of its own binds them to who knows."""
        for word in self._language.self_words:
            self.scopes.bind(word, scope, own)
        for word in self._language.super_words:
            self.scopes.bind(word, scope, above)

    def bind_imports(self, imports: Imports) -> None:
        for name, place, imported in imports.names:
            self.settled.add(place)
            self.scopes.bind(name, self.scopes.at(place), imported)

    def bind_receivers(self, parts: Sequence[Part]) -> None:
        """A method's first parameter is the object itself, whatever it is called."""
        methods = {scope: at for at, scope in enumerate(self.inside) if parts[at].kind == "method"}
        for name, place in self._source.names("receiver"):
            scope = self.scopes.at(place)
            at = methods.get(scope)
            owner = parts[at].parent if at is not None else None
            if at is not None and owner is not None and not self._static(at, place):
                self.scopes.bind(name, scope, Owner(owner))
                self.settled.add(place)

    def _static(self, method: int, place: int) -> bool:
        return _STATIC in self._source.data[self._found[method].start : place]
