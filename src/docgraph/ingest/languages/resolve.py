"""Resolving: from a chain of names at a place to where it may lead. Nothing is guessed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from docgraph.ingest.languages.bindings import (
    Aim,
    Aims,
    Bases,
    Binding,
    Chain,
    Imported,
    Instance,
    Known,
    Local,
    Owner,
    Symbol,
    in_order,
)
from docgraph.ingest.languages.definitions import OWNERS
from docgraph.ingest.languages.language import Language
from docgraph.ingest.languages.scopes import Scopes
from docgraph.ingest.parsed_file import Part

# Lineage: a class and what it is built on, here and elsewhere, nearest first.


Elsewhere = Callable[[Chain], Aims | None]
# What a class says that it is built on: by its part and relation, the names and their places.
BasesOf = dict[tuple[int, str], list[tuple[Chain, int]]]
_LONGEST = 64
CLASSES = ("inherits",)
ALL = ("inherits", "implements")


@dataclass(frozen=True, slots=True)
class ExternalBase:
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


Class = int | ExternalBase  # a part of this file, or elsewhere


class ClassHierarchy:
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
            if isinstance(one, ExternalBase) or one not in seen:
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
            return ExternalBase(chain, meaning, self._elsewhere)
        return None


_FURTHEST = 8  # steps from a variable to its class, to its field, to the class of that


class Resolver:
    """`inside` is each part's own scope."""

    def __init__(
        self,
        language: Language,
        path: str,
        parts: Sequence[Part],
        scopes: Scopes,
        lineages: ClassHierarchy,
        *,
        inside: Sequence[int],
        elsewhere: Elsewhere,
    ) -> None:
        self._builtins, self._parts, self._scopes = language.builtins, parts, scopes
        self._lineages, self._inside, self._elsewhere = lineages, inside, elsewhere
        self._key = f"path:{path}"
        self._own: dict[int, Aims] = {}
        self._known: dict[Chain, Aims | None] = {}

    def aims(self, chain: Chain, place: int) -> Aims | None:
        """None where nobody can tell; nothing at all for what the language itself brings."""
        if chain in self._known:
            return self._known[chain]
        meaning = self._scopes.meaning(chain[0], place)
        if meaning is not None:
            found = self._follow(meaning, chain[1:], 0)
        elif chain[0] in self._builtins:
            found = ()
        else:
            found = in_order(self._around(chain, place), self._elsewhere(chain))
        if self._scopes.is_same_everywhere(chain[0]) and not chain[0].endswith("()"):
            self._known[chain] = found
        return found

    def type_aims(self, chain: Chain, place: int) -> Aims | None:
        """Where the names mean a class."""
        found = self._lineages.named(chain, place)
        if found is None:
            return self.aims(chain, place)
        if isinstance(found, int):
            return self.own(found)
        return () if chain[0] in self._builtins and not found.imported else found.aims(())

    def own(self, part: int) -> Aims:
        if part not in self._own:
            self._own[part] = (Aim(self._key, f"::{self._parts[part].name}", strict=True),)
        return self._own[part]

    def is_own(self, aim: Aim) -> bool:
        return aim.key == self._key

    def _around(self, chain: Chain, place: int) -> Aims | None:
        """What is called without a receiver may be inherited by a class around the call."""
        owner = self._scopes.meaning("this", place) if chain[0].endswith("()") else None
        part = owner.part if isinstance(owner, Owner) else None
        found: list[Aims | None] = []
        while part is not None:
            found.append(self._member(self._lineages.of(part, CLASSES)[1:], chain, 0))
            part = self._parts[part].parent
        return in_order(*found)

    def _follow(self, meaning: Binding, rest: Chain, steps: int) -> Aims | None:
        if isinstance(meaning, Local) or steps > _FURTHEST:
            return None
        if isinstance(meaning, Symbol | Owner):
            return self._of(meaning, rest, steps)
        if isinstance(meaning, Bases):
            return self._above(meaning.part, rest, steps)
        if isinstance(meaning, Instance):
            return self._of_instance(meaning, rest, steps) if rest else None
        return meaning.aims(rest)

    def _of(self, meaning: Symbol | Owner, rest: Chain, steps: int) -> Aims | None:
        if not rest:
            return self.own(meaning.part) if isinstance(meaning, Symbol) else None
        if self._parts[meaning.part].kind not in OWNERS:
            return None
        return self._member(self._lineages.of(meaning.part, ALL), rest, steps)

    def _of_instance(self, meaning: Instance, rest: Chain, steps: int) -> Aims | None:
        found = self._lineages.named(meaning.of, meaning.place)
        if isinstance(found, int):
            return self._member(self._lineages.of(found, ALL), rest, steps)
        return found.aims(rest) if found is not None else None

    def _above(self, part: int, rest: Chain, steps: int) -> Aims | None:
        """`super.name`, and `super` itself for the class that it is built on."""
        if rest:
            return self._member(self._lineages.of(part, CLASSES)[1:], rest, steps)
        bases = self._lineages.bases(part, CLASSES)
        return in_order(
            *(self.own(base) if isinstance(base, int) else base.aims(()) for base in bases)
        )

    def _member(self, line: Sequence[Class], rest: Chain, steps: int) -> Aims | None:
        """What the first class in line has; one of another file may have it, or may not."""
        found: list[Aims | None] = []
        for one in line:
            if not isinstance(one, int):
                found.append(one.aims(rest))
                continue
            meaning = self._scopes.member(rest[0], self._inside[one])
            if meaning is not None:
                found.append(self._follow(meaning, rest[1:], steps + 1))
                break
        return in_order(*found)
