"""The references that a file of code makes: what it imports, calls, inherits, reads and writes."""

from collections.abc import Iterator, Sequence
from operator import attrgetter
from types import MappingProxyType

from docgraph.ingest.languages.bindings import Chain, Targets
from docgraph.ingest.languages.definitions import OWNERS, SymbolDefinition
from docgraph.ingest.languages.language import Language, Parts, Span
from docgraph.ingest.languages.resolve import BasesOf, ClassHierarchy, Resolver
from docgraph.ingest.languages.scopes import ScopeBuilder
from docgraph.ingest.languages.source import SourceCode, SpanTree
from docgraph.ingest.languages.uses import Use, UseReader
from docgraph.ingest.languages.variables import VariableBinder
from docgraph.model.reference import Reference

# The relations that are found in code, and the miner that each belongs to.
MINER_OF = MappingProxyType(
    {
        "imports": "imports",
        "calls": "calls",
        "inherits": "types",
        "implements": "types",
        "reads": "tables",
        "writes": "tables",
        "references": "tables",
    }
)
_MAX_TEXT_CHARACTERS = 120
_MAX_BASES = 64  # of one class
_BASES = frozenset({"base", "implements", "inherits"})
_TYPES = frozenset({"implements", "imports", "inherits"})


def collect_references(
    language: Language, source: SourceCode, parts: Parts, definitions: Sequence[SymbolDefinition]
) -> tuple[tuple[Reference, ...], int]:
    """References sorted by position, and how many calls resolve to nothing."""
    return _ReferenceCollector(language, source, parts, definitions).collect()


class _ReferenceCollector:
    def __init__(
        self,
        language: Language,
        source: SourceCode,
        parts: Parts,
        definitions: Sequence[SymbolDefinition],
    ) -> None:
        self._language, self._source, self._parts = language, source, parts
        self._part_at = SpanTree([(one.start, one.end) for one in definitions]).at
        self._imports = language.imports(source)
        reader = UseReader(language, source)
        self._uses = list(self._name_relations(reader.read_uses()))
        builder = self._bind_names(reader, definitions)
        scopes, inside, unbound = builder.scopes, builder.inside, self._imports.resolve_unbound
        hierarchy = ClassHierarchy(parts, scopes, unbound, inside=inside, bases=self._bases())
        self._resolver = Resolver(
            language, source.path, parts, scopes, hierarchy, inside=inside, resolve_unbound=unbound
        )

    def _name_relations(self, uses: list[Use]) -> Iterator[Use]:
        """Only a class has bases; the language decides which relation a `base` is."""
        for relation, start, end, chain in uses:
            if relation not in _BASES:
                yield relation, start, end, chain
                continue
            part = self._part_at(start)
            if part >= 0 and chain and self._parts[part].kind in OWNERS:
                stated = self._language.base_relation(self._parts[part].kind, chain)
                yield stated if relation == "base" else relation, start, end, chain

    def _bind_names(
        self, reader: UseReader, definitions: Sequence[SymbolDefinition]
    ) -> ScopeBuilder:
        used_names = {name for *_, chain in self._uses if chain for name in chain}
        if self._language.separate_call_names:
            used_names.update([name.removesuffix("()") for name in used_names])
        builder = ScopeBuilder(self._language, self._source, definitions)
        builder.bind_definitions()
        builder.bind_imports(self._imports)
        builder.bind_receivers(self._parts)
        variables = VariableBinder(self._language, self._source, reader, builder, used_names)
        variables.bind_typed()
        variables.bind_variables()
        variables.bind_fields()
        return builder

    def _bases(self) -> BasesOf:
        bases: BasesOf = {}
        for relation, start, _, chain in self._uses:
            if relation in _BASES and chain:
                stated = bases.setdefault((self._part_at(start), relation), [])
                if len(stated) < _MAX_BASES:
                    stated.append((chain, start))
        return bases

    def collect(self) -> tuple[tuple[Reference, ...], int]:
        references: list[Reference] = []
        unresolved_calls = 0
        for span, text, targets in self._imports.references:
            references += self._make_references("imports", span, "", text, targets)
        for relation, start, end, chain in self._uses:
            resolved = self._resolve(relation, start, chain) if chain else None
            if resolved is None or chain is None:
                unresolved_calls += relation == "calls"
            elif resolved:
                references += self._refer(relation, (start, end), chain, resolved)
        references.sort(key=attrgetter("start"))
        return tuple(references), unresolved_calls

    def _resolve(self, relation: str, position: int, chain: Chain) -> Targets | None:
        if relation in _TYPES:
            return self._resolver.resolve_type(chain, position)
        return self._resolver.resolve(chain, position)

    def _refer(self, relation: str, span: Span, chain: Chain, targets: Targets) -> list[Reference]:
        """A part does not refer to itself; the file imports, never a part, and not from itself."""
        part = self._part_at(span[0])
        if (part >= 0 and targets is self._resolver.own_targets(part)) or (
            relation == "imports" and self._resolver.is_own(targets[0])
        ):
            return []
        suffix = self._parts[part].suffix if part >= 0 and relation != "imports" else ""
        text = ".".join(chain).replace("()", "")
        return self._make_references(relation, span, suffix, text, targets)

    def _make_references(
        self, relation: str, span: Span, suffix: str, text: str, targets: Targets
    ) -> list[Reference]:
        """An empty span, which the grammar inserts for a missing token, refers to nothing."""
        if span[0] == span[1]:
            return []
        start, end = (self._source.character_offset(byte) for byte in span)
        line, miner = self._source.lines.at(start), MINER_OF[relation]
        shown = text[:_MAX_TEXT_CHARACTERS]
        return [
            Reference(suffix, relation, target, start, end, line, shown, miner)
            for target in targets
        ]
