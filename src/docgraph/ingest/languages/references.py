"""Pointers: what a file's parts use, as claims, and how many calls lead nowhere."""

from collections.abc import Iterator, Sequence
from operator import attrgetter

from docgraph.ingest.languages.bindings import Aims, Chain
from docgraph.ingest.languages.definitions import OWNERS, SymbolDefinition
from docgraph.ingest.languages.language import Language, Parts, Span
from docgraph.ingest.languages.resolve import BasesOf, ClassHierarchy, Resolver
from docgraph.ingest.languages.scopes import ScopeBuilder
from docgraph.ingest.languages.source import Source, SpanTree
from docgraph.ingest.languages.uses import Use, UseReader
from docgraph.ingest.languages.variables import Variables
from docgraph.ingest.parsed_file import Pointer

_LONGEST_SAYING = 120
_ORDER = attrgetter("start")
_BASES = frozenset({"base", "implements", "inherits"})
_TYPES = frozenset({"implements", "imports", "inherits"})


def collect_references(
    language: Language, source: Source, parts: Parts, found: Sequence[SymbolDefinition]
) -> tuple[tuple[Pointer, ...], int]:
    """Sorted by place."""
    return _ReferenceCollector(language, source, parts, found).told()


class _ReferenceCollector:
    def __init__(
        self, language: Language, source: Source, parts: Parts, found: Sequence[SymbolDefinition]
    ) -> None:
        self._language, self._source, self._parts = language, source, parts
        self._at = SpanTree([(one.start, one.end) for one in found]).at
        self._imports = language.imports(source)
        reader = UseReader(language, source)
        self._uses = list(self._related(reader.uses()))
        binder = self._bound(reader, found)
        scopes, inside, elsewhere = binder.scopes, binder.inside, self._imports.elsewhere
        lineages = ClassHierarchy(parts, scopes, elsewhere, inside=inside, bases=self._bases())
        self._resolver = Resolver(
            language, source.path, parts, scopes, lineages, inside=inside, elsewhere=elsewhere
        )

    def _related(self, uses: list[Use]) -> Iterator[Use]:
        """Only a class has bases; where the language alone can tell of which kind, it does."""
        for relation, start, end, chain in uses:
            if relation not in _BASES:
                yield relation, start, end, chain
                continue
            at = self._at(start)
            if at >= 0 and chain and self._parts[at].kind in OWNERS:
                stated = self._language.base(self._parts[at].kind, chain)
                yield stated if relation == "base" else relation, start, end, chain

    def _bound(self, reader: UseReader, found: Sequence[SymbolDefinition]) -> ScopeBuilder:
        spoken = {name for *_, chain in self._uses if chain for name in chain}
        if self._language.calls_apart:
            spoken.update([name.removesuffix("()") for name in spoken])
        binder = ScopeBuilder(self._language, self._source, found)
        binder.bind_definitions()
        binder.bind_imports(self._imports)
        binder.bind_receivers(self._parts)
        variables = Variables(self._language, self._source, reader, binder, spoken)
        variables.bind_typed()
        variables.bind_variables()
        variables.bind_fields()
        return binder

    def _bases(self) -> BasesOf:
        bases: BasesOf = {}
        for relation, start, _, chain in self._uses:
            if relation in _BASES and chain:
                bases.setdefault((self._at(start), relation), []).append((chain, start))
        return bases

    def told(self) -> tuple[tuple[Pointer, ...], int]:
        made: list[Pointer] = []
        opaque = 0
        for span, says, aims in self._imports.claims:
            made += self._pointers("imports", span, None, says, aims)
        for relation, start, end, chain in self._uses:
            found = self._aims(relation, start, chain) if chain else None
            if found is None or chain is None:
                opaque += relation == "calls"
            elif found:
                made += self._used(relation, (start, end), chain, found)
        made.sort(key=_ORDER)
        return tuple(made), opaque

    def _aims(self, relation: str, place: int, chain: Chain) -> Aims | None:
        if relation in _TYPES:
            return self._resolver.type_aims(chain, place)
        return self._resolver.aims(chain, place)

    def _used(self, relation: str, span: Span, chain: Chain, aims: Aims) -> list[Pointer]:
        """What calls itself points nowhere; it is the file that imports, and not from itself."""
        at = self._at(span[0])
        if (at >= 0 and aims is self._resolver.own(at)) or (
            relation == "imports" and self._resolver.is_own(aims[0])
        ):
            return []
        part = at if at >= 0 and relation != "imports" else None
        return self._pointers(relation, span, part, ".".join(chain).replace("()", ""), aims)

    def _pointers(
        self, relation: str, span: Span, part: int | None, says: str, aims: Aims
    ) -> list[Pointer]:
        """What the grammar only supposes to be there has no characters, and claims nothing."""
        if span[0] == span[1]:
            return []
        start, end = self._source.place(span[0]), self._source.place(span[1])
        line, says = self._source.lines.at(start), says[:_LONGEST_SAYING]
        return [
            Pointer(relation, part, key, line, start, end, says, inner, strict, rank, near, told)
            for key, inner, strict, rank, near, told in aims
        ]
