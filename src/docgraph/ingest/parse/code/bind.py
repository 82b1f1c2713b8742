"""Binding: every scope of a file, with the definitions and imports that live in it."""

from collections.abc import Iterator, Sequence

from docgraph.ingest.parse.code.definitions import Definition
from docgraph.ingest.parse.code.language import Imports, Language, Span, whole
from docgraph.ingest.parse.code.meaning import LOCAL, Bases, Meaning, Owner, Symbol
from docgraph.ingest.parse.code.parts import OWNERS
from docgraph.ingest.parse.code.scopes import BLOCK, FUNCTION, OWNER, Scopes
from docgraph.ingest.parse.code.source import Source
from docgraph.ingest.parsed import Part

_STATIC = b"@staticmethod"


class Binder:
    """`inside` is each definition's own scope; `settled` are the places of names that are bound."""

    def __init__(self, language: Language, source: Source, found: Sequence[Definition]) -> None:
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

    def _bind_words(self, scope: int, own: Meaning, above: Meaning) -> None:
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
