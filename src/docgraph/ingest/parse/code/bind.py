"""Binding: every scope of a file with the names that live in it."""

from collections.abc import Callable, Iterator, Sequence

from docgraph.ingest.parse.code.definitions import Definition
from docgraph.ingest.parse.code.language import Imports, Language, Span, whole
from docgraph.ingest.parse.code.meaning import LOCAL, Bases, Instance, Meaning, Owner, Symbol
from docgraph.ingest.parse.code.parts import OWNERS
from docgraph.ingest.parse.code.scopes import BLOCK, FUNCTION, OWNER, Scopes
from docgraph.ingest.parse.code.source import Source
from docgraph.ingest.parse.code.uses import Reader
from docgraph.ingest.parsed import Part

_FILE = 0
_STATIC = b"@staticmethod"


class Binder:
    """Binds definitions and imports, then those variables whose names anybody has `spoken`."""

    def __init__(self, language: Language, source: Source, found: Sequence[Definition]) -> None:
        self._language, self._source, self._found = language, source, found
        self.scopes = Scopes(language, list(self._spans()))
        self.inside = self.scopes.numbers[: len(found)]
        self._settled = {one.named for one in found}

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
            self.scopes.bind(name, self.scopes.at(place), imported)

    def bind_receivers(self, parts: Sequence[Part], part_at: Callable[[int], int]) -> None:
        """A method's first parameter is the object itself, whatever it is called."""
        for name, place in self._source.names("receiver"):
            at = part_at(place)
            method = parts[at]
            if (
                method.kind == "method"
                and method.parent is not None
                and not self._static(at, place)
            ):
                self.scopes.bind(name, self.inside[at], Owner(method.parent))
                self._settled.add(place)

    def _static(self, method: int, place: int) -> bool:
        return _STATIC in self._source.data[self._found[method].start : place]

    def bind_typed(self, reader: Reader, spoken: set[str]) -> None:
        """Variables whose class the text tells; their classes' names are spoken too."""
        for role in ("typed", "made"):
            for match, (name, place) in zip(
                self._source.matches(role), self._source.names(role), strict=True
            ):
                if name not in spoken:
                    continue
                span = whole(match["type"][0])
                chain = reader.chain(*span)
                if chain and (role == "typed" or chain[-1][:1].isupper()):
                    spoken.add(chain[0])
                    self._settled.add(place)
                    self._variable(name, place, Instance(chain, span[0]))

    def bind_variables(self, spoken: set[str]) -> None:
        """Setting a name to None takes no meaning away from it, but may be its only one."""
        weak = {node.start_byte for node in self._source.nodes("weak")} - self._settled
        for name, place in self._spoken("bind", spoken):
            if place not in weak and place not in self._settled:
                self._variable(name, place, LOCAL)
        for name, place in self._spoken("weak", spoken):
            if self.scopes.member(name, self.scopes.at(place)) is None:
                self._variable(name, place, LOCAL)
        for name, place in self._spoken("hoist", spoken):
            if place not in self._settled:
                scope = self.scopes.function_around(self.scopes.at(place))
                self.scopes.bind(name, scope, LOCAL)
        for name, place in self._spoken("outside", spoken):
            scope = self.scopes.around(self.scopes.function_around(self.scopes.at(place)))
            self.scopes.bind(name, max(scope, _FILE), LOCAL)
            self.scopes.bind(name, _FILE, LOCAL)

    def _spoken(self, role: str, spoken: set[str]) -> Iterator[tuple[str, int]]:
        folded = self._language.folded
        for said, place in self._source.names(role):
            name = folded(said)
            if name in spoken:
                yield name, place

    def _variable(self, name: str, place: int, meaning: Meaning) -> None:
        scope = self.scopes.at(place)
        self.scopes.bind(name, scope, meaning)
        if self._language.delegates:
            self.scopes.bind(f"{name}()", scope, LOCAL)
