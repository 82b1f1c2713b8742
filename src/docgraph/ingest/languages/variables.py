"""Binds parameters, variables and fields to what the text tells of their classes."""

from collections.abc import Iterator

from docgraph.ingest.languages.bindings import LOCAL, Binding, Instance, Owner
from docgraph.ingest.languages.language import Language, span_of
from docgraph.ingest.languages.scopes import FILE_SCOPE, ScopeBuilder
from docgraph.ingest.languages.source import Match, SourceCode
from docgraph.ingest.languages.uses import UseReader


class VariableBinder:
    """Binds the variables whose names are among `used_names`; others need no binding."""

    def __init__(
        self,
        language: Language,
        source: SourceCode,
        reader: UseReader,
        builder: ScopeBuilder,
        used_names: set[str],
    ) -> None:
        self._language, self._source, self._reader = language, source, reader
        self._builder, self._scopes, self._used_names = builder, builder.scopes, used_names

    def bind_typed(self) -> None:
        """Variables whose class the text may tell; the names of those classes are used too."""
        for match in self._source.matches("alias"):
            if self._source.node_text(match["field"][0]) in self._used_names:
                self._used_names.add(self._source.node_text(match["alias"][0]))
        unknown: dict[int, str] = {}
        for match, (name, position) in self._captures("typed"):
            if name not in self._used_names or position in self._builder.bound_positions:
                continue
            instance = self._find_instance(match)
            if instance:
                self._used_names.add(instance.of[0])
                self._builder.bound_positions.add(position)
                self._bind(name, position, instance)
            else:
                unknown[position] = name
        for position, name in unknown.items():
            if position not in self._builder.bound_positions:
                self._bind(name, position, LOCAL)

    def bind_variables(self) -> None:
        """Setting a name to None removes no binding of it, but may be its only one."""
        bound = self._builder.bound_positions
        weak = {node.start_byte for node in self._source.nodes("weak")} - bound
        for name, position in self._used("bind"):
            if position not in weak and position not in bound:
                self._bind(name, position, LOCAL)
        for name, position in self._used("weak"):
            if self._scopes.lookup_member(name, self._scopes.at(position)) is None:
                self._bind(name, position, LOCAL)
        for name, position in self._used("hoist"):
            if position not in bound:
                scope = self._scopes.function_around(self._scopes.at(position))
                self._scopes.bind(name, scope, LOCAL)
        for name, position in self._used("outside"):
            scope = self._scopes.around(self._scopes.function_around(self._scopes.at(position)))
            self._scopes.bind(name, max(scope, FILE_SCOPE), LOCAL)
            self._scopes.bind(name, FILE_SCOPE, LOCAL)
        for name, position in self._used("assign"):
            self._scopes.mark_unknown(name, position)

    def bind_fields(self) -> None:
        """What is assigned to an object's field (`self.store = …`) is a member of its class."""
        seen: set[int] = set()
        for match, (name, position) in self._captures("field"):
            if name in self._used_names and position not in seen:
                seen.add(position)
                owner = self._find_owner(match, position)
                binding = self._find_binding(match, position)
                if owner is not None and binding is not None:
                    self._scopes.bind(name, owner, binding)

    def _find_owner(self, match: Match, position: int) -> int | None:
        """The scope of the class of `self` in `self.store = …`, or of a parameter's method."""
        if "holder" not in match:
            owner = self._scopes.around(self._scopes.function_around(self._scopes.at(position)))
            return owner if self._scopes.is_owner(owner) else None
        holder = self._scopes.lookup(self._source.node_text(match["holder"][0]), position)
        return self._builder.inside[holder.part] if isinstance(holder, Owner) else None

    def _find_binding(self, match: Match, position: int) -> Binding | None:
        if "nothing" in match:
            return None
        if "alias" in match:
            original = self._scopes.lookup(self._source.node_text(match["alias"][0]), position)
            return original if isinstance(original, Instance) else LOCAL
        return self._find_instance(match) or LOCAL

    def _find_instance(self, match: Match) -> Instance | None:
        """`type` is a class; so is what `made` it by a call, if named like a class."""
        for role in ("type", "made"):
            if role in match:
                span = span_of(match[role][0])
                chain = self._reader.read_chain(*span)
                if chain and (role == "type" or chain[-1][:1].isupper()):
                    return Instance(chain, span[0])
        return None

    def _captures(self, role: str) -> Iterator[tuple[Match, tuple[str, int]]]:
        return zip(self._source.matches(role), self._source.names(role), strict=True)

    def _used(self, role: str) -> list[tuple[str, int]]:
        names = self._source.names(role)
        if self._language.variable_name is not str:
            names = [(self._language.variable_name(name), position) for name, position in names]
        return [(name, position) for name, position in names if name in self._used_names]

    def _bind(self, name: str, position: int, binding: Binding) -> None:
        scope = self._scopes.at(position)
        self._scopes.bind(name, scope, binding)
        if self._language.callable_variables:
            self._scopes.bind(f"{name}()", scope, LOCAL)
