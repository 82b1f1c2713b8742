"""Resolving: from a chain of names at a place to where it may lead. Nothing is guessed."""

from collections.abc import Sequence

from docgraph.ingest.parse.code.language import Language
from docgraph.ingest.parse.code.lineage import ALL, CLASSES, Class, Elsewhere, Lineages
from docgraph.ingest.parse.code.meaning import (
    Aim,
    Aims,
    Bases,
    Chain,
    Instance,
    Local,
    Meaning,
    Owner,
    Symbol,
    one_after_another,
)
from docgraph.ingest.parse.code.parts import OWNERS
from docgraph.ingest.parse.code.scopes import Scopes
from docgraph.ingest.parsed import Part

_FURTHEST = 8  # steps from a variable to its class, to its field, to the class of that


class Resolver:
    """`inside` is each part's own scope."""

    def __init__(
        self,
        language: Language,
        path: str,
        parts: Sequence[Part],
        scopes: Scopes,
        lineages: Lineages,
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
            found = one_after_another(self._around(chain, place), self._elsewhere(chain))
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
        return one_after_another(*found)

    def _follow(self, meaning: Meaning, rest: Chain, steps: int) -> Aims | None:
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
        return one_after_another(
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
        return one_after_another(*found)
