"""Variables: what is known of parameters, assigned names and fields."""

from collections.abc import Iterator

from docgraph.ingest.languages.bindings import LOCAL, Binding, Instance, Owner
from docgraph.ingest.languages.language import Language, whole
from docgraph.ingest.languages.scopes import FILE_SCOPE, ScopeBuilder
from docgraph.ingest.languages.source import Match, Source
from docgraph.ingest.languages.uses import UseReader


class Variables:
    """Binds those whose names anybody has `spoken`; the others need no scope."""

    def __init__(
        self,
        language: Language,
        source: Source,
        reader: UseReader,
        binder: ScopeBuilder,
        spoken: set[str],
    ) -> None:
        self._language, self._source, self._reader = language, source, reader
        self._binder, self._scopes, self._spoken = binder, binder.scopes, spoken

    def bind_typed(self) -> None:
        """Variables whose class the text may tell; their classes' names are spoken too."""
        for match in self._source.matches("alias"):
            if self._source.node_text(match["field"][0]) in self._spoken:
                self._spoken.add(self._source.node_text(match["alias"][0]))
        unknown: dict[int, str] = {}
        for match, (name, place) in self._caught("typed"):
            if name not in self._spoken or place in self._binder.settled:
                continue
            found = self._instance(match)
            if found:
                self._spoken.add(found.of[0])
                self._binder.settled.add(place)
                self._variable(name, place, found)
            else:
                unknown[place] = name
        for place, name in unknown.items():
            if place not in self._binder.settled:
                self._variable(name, place, LOCAL)

    def bind_variables(self) -> None:
        """Setting a name to None takes no meaning away from it, but may be its only one."""
        weak = {node.start_byte for node in self._source.nodes("weak")} - self._binder.settled
        for name, place in self._named("bind"):
            if place not in weak and place not in self._binder.settled:
                self._variable(name, place, LOCAL)
        for name, place in self._named("weak"):
            if self._scopes.member(name, self._scopes.at(place)) is None:
                self._variable(name, place, LOCAL)
        for name, place in self._named("hoist"):
            if place not in self._binder.settled:
                scope = self._scopes.function_around(self._scopes.at(place))
                self._scopes.bind(name, scope, LOCAL)
        for name, place in self._named("outside"):
            scope = self._scopes.around(self._scopes.function_around(self._scopes.at(place)))
            self._scopes.bind(name, max(scope, FILE_SCOPE), LOCAL)
            self._scopes.bind(name, FILE_SCOPE, LOCAL)
        for name, place in self._named("assign"):
            self._scopes.unsettle(name, place)

    def bind_fields(self) -> None:
        """What is put into an object (`self.store = …`) is a member of its class."""
        seen: set[int] = set()
        for match, (name, place) in self._caught("field"):
            if name in self._spoken and place not in seen:
                seen.add(place)
                owner = self._owner(match, place)
                meaning = self._put(match, place)
                if owner is not None and meaning is not None:
                    self._scopes.bind(name, owner, meaning)

    def _owner(self, match: Match, place: int) -> int | None:
        """Of `self` in `self.store = …`; a parameter's is the class of its method."""
        if "holder" not in match:
            owner = self._scopes.around(self._scopes.function_around(self._scopes.at(place)))
            return owner if self._scopes.is_owner(owner) else None
        held_by = self._scopes.meaning(self._source.node_text(match["holder"][0]), place)
        return self._binder.inside[held_by.part] if isinstance(held_by, Owner) else None

    def _put(self, match: Match, place: int) -> Binding | None:
        if "nothing" in match:
            return None
        if "alias" in match:
            found = self._scopes.meaning(self._source.node_text(match["alias"][0]), place)
            return found if isinstance(found, Instance) else LOCAL
        return self._instance(match) or LOCAL

    def _instance(self, match: Match) -> Instance | None:
        """`type` is a class; what is `made` by a call is one if its name is like a class's."""
        for role in ("type", "made"):
            if role in match:
                span = whole(match[role][0])
                chain = self._reader.chain(*span)
                if chain and (role == "type" or chain[-1][:1].isupper()):
                    return Instance(chain, span[0])
        return None

    def _caught(self, role: str) -> Iterator[tuple[Match, tuple[str, int]]]:
        return zip(self._source.matches(role), self._source.names(role), strict=True)

    def _named(self, role: str) -> list[tuple[str, int]]:
        names = self._source.names(role)
        if self._language.folded is not str:
            names = [(self._language.folded(name), place) for name, place in names]
        return [named for named in names if named[0] in self._spoken]

    def _variable(self, name: str, place: int, meaning: Binding) -> None:
        scope = self._scopes.at(place)
        self._scopes.bind(name, scope, meaning)
        if self._language.delegates:
            self._scopes.bind(f"{name}()", scope, LOCAL)
