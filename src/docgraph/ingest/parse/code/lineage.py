"""Lineage: a class and what it is built on, here and elsewhere, nearest first."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from docgraph.ingest.parse.code.meaning import Aims, Chain, Imported, Known, Local, Symbol
from docgraph.ingest.parse.code.parts import OWNERS
from docgraph.ingest.parse.code.scopes import Scopes
from docgraph.ingest.parsed import Part

Elsewhere = Callable[[Chain], Aims | None]
# What a class says that it is built on: by its part and relation, the names and their places.
BasesOf = dict[tuple[int, str], list[tuple[Chain, int]]]
_LONGEST = 64
CLASSES = ("inherits",)
ALL = ("inherits", "implements")


@dataclass(frozen=True, slots=True)
class Distant:
    """A class of another file, called `chain`; None is imported if nothing binds the name."""

    chain: Chain
    imported: Imported | None
    elsewhere: Elsewhere

    def aims(self, rest: Chain) -> Aims | None:
        """What it has itself; what its fields have is nothing that this file could know."""
        if len(rest) > 1:
            return None
        if self.imported is None:
            return self.elsewhere((*self.chain, *rest))
        inner = (*self.chain[1:], *rest)
        return self.imported.member(inner) if rest else self.imported.aims(inner)


Class = int | Distant  # a part of this file, or elsewhere


class Lineages:
    """`inside` is each part's own scope."""

    def __init__(
        self,
        parts: Sequence[Part],
        scopes: Scopes,
        elsewhere: Elsewhere,
        *,
        inside: Sequence[int],
        bases: BasesOf,
    ) -> None:
        self._parts, self._scopes, self._elsewhere = parts, scopes, elsewhere
        self._inside, self._stated = inside, bases
        self._known: dict[tuple[int, tuple[str, ...]], list[Class]] = {}

    def bases(self, part: int, relations: tuple[str, ...]) -> list[Class]:
        stated = [base for one in relations for base in self._stated.get((part, one), ())]
        found = (self.named(chain, place) for chain, place in stated)
        return [base for base in found if base is not None]

    def of(self, part: int, relations: tuple[str, ...]) -> list[Class]:
        """The class itself first, then each base before what that is built on."""
        known = self._known.get((part, relations))
        if known is not None:
            return known
        line: list[Class] = []
        seen: set[int] = set()
        waiting: list[Class] = [part]
        while waiting and len(line) < _LONGEST:
            one = waiting.pop()
            if isinstance(one, Distant) or one not in seen:
                line.append(one)
            if isinstance(one, int) and one not in seen:
                seen.add(one)
                waiting.extend(reversed(self.bases(one, relations)))
        self._known[part, relations] = line
        return line

    def named(self, chain: Chain, place: int) -> Class | None:
        """The class that the names mean there; None for what is no class, or nobody knows."""
        meaning = self._scopes.meaning_of_type(chain[0], place)
        rest = chain[1:]
        while rest and isinstance(meaning, Symbol) and self._parts[meaning.part].kind in OWNERS:
            meaning = self._scopes.member(rest[0], self._inside[meaning.part])
            if meaning is None:
                return None
            rest = rest[1:]
        if isinstance(meaning, Symbol):
            is_class = self._parts[meaning.part].kind in OWNERS
            return meaning.part if is_class and not rest else None
        if meaning is None or not isinstance(meaning, Local | Known):
            return Distant(chain, meaning, self._elsewhere)
        return None
