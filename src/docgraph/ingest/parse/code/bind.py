"""Binding: every scope of a file with the names that live in it."""

from collections.abc import Callable, Iterator, Sequence

from docgraph.ingest.parse.code.definitions import Definition
from docgraph.ingest.parse.code.language import Imports, Language, Span, whole
from docgraph.ingest.parse.code.meaning import LOCAL, Bases, Instance, Meaning, Owner, Symbol
from docgraph.ingest.parse.code.parts import OWNERS
from docgraph.ingest.parse.code.scopes import BLOCK, FUNCTION, OWNER, Scopes
from docgraph.ingest.parse.code.source import Match, Source
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
            self._settled.add(place)
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
        """Variables whose class the text may tell; their classes' names are spoken too."""
        unknown: dict[int, str] = {}
        for match, (name, place) in self._caught("typed"):
            if name not in spoken or place in self._settled:
                continue
            found = self._instance(match, reader)
            if found:
                spoken.add(found.of[0])
                self._settled.add(place)
                self._variable(name, place, found)
            else:
                unknown[place] = name
        for place, name in unknown.items():
            if place not in self._settled:
                self._variable(name, place, LOCAL)

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
        for name, place in self._spoken("assign", spoken):
            self.scopes.unsettle(name, place)

    def bind_fields(self, reader: Reader, spoken: set[str]) -> None:
        """What is put into an object (`self.store = …`) is a member of its class."""
        seen: set[int] = set()
        for match, (name, place) in self._caught("field"):
            if name in spoken and place not in seen:
                seen.add(place)
                owner = self._owner(match, place)
                meaning = self._put(match, place, reader)
                if owner is not None and meaning is not None:
                    self.scopes.bind(name, owner, meaning)

    def _owner(self, match: Match, place: int) -> int | None:
        """Of `self` in `self.store = …`; a parameter's is the class of its method."""
        if "holder" not in match:
            owner = self.scopes.around(self.scopes.function_around(self.scopes.at(place)))
            return owner if self.scopes.is_owner(owner) else None
        held_by = self.scopes.meaning(self._source.said_by(match["holder"][0]), place)
        return self.inside[held_by.part] if isinstance(held_by, Owner) else None

    def _put(self, match: Match, place: int, reader: Reader) -> Meaning | None:
        if "nothing" in match:
            return None
        if "alias" in match:
            found = self.scopes.meaning(self._source.said_by(match["alias"][0]), place)
            return found if isinstance(found, Instance) else LOCAL
        return self._instance(match, reader) or LOCAL

    def _instance(self, match: Match, reader: Reader) -> Instance | None:
        """`type` is a class; what is `made` by a call is one if its name is like a class's."""
        for role in ("type", "made"):
            if role in match:
                span = whole(match[role][0])
                chain = reader.chain(*span)
                if chain and (role == "type" or chain[-1][:1].isupper()):
                    return Instance(chain, span[0])
        return None

    def _caught(self, role: str) -> Iterator[tuple[Match, tuple[str, int]]]:
        return zip(self._source.matches(role), self._source.names(role), strict=True)

    def _spoken(self, role: str, spoken: set[str]) -> list[tuple[str, int]]:
        names = self._source.names(role)
        if self._language.folded is not str:
            names = [(self._language.folded(name), place) for name, place in names]
        return [named for named in names if named[0] in spoken]

    def _variable(self, name: str, place: int, meaning: Meaning) -> None:
        scope = self.scopes.at(place)
        self.scopes.bind(name, scope, meaning)
        if self._language.delegates:
            self.scopes.bind(f"{name}()", scope, LOCAL)
