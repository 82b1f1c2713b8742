"""Resolving: from a chain of names at a place to where it may lead. Nothing is guessed."""

from collections.abc import Callable, Sequence

from docgraph.ingest.parse.code.language import Language
from docgraph.ingest.parse.code.meaning import (
    Aim,
    Aims,
    Bases,
    Chain,
    Instance,
    Known,
    Local,
    Meaning,
    Owner,
    Symbol,
    one_after_another,
)
from docgraph.ingest.parse.code.parts import OWNERS
from docgraph.ingest.parse.code.scopes import Scopes
from docgraph.ingest.parsed import Part

_FURTHEST = 8  # steps from a variable to its class, to a base, to a base of that


class Resolver:
    """`inside` is each part's own scope, `bases` are each class's (chain, place)."""

    def __init__(
        self,
        language: Language,
        path: str,
        parts: Sequence[Part],
        scopes: Scopes,
        elsewhere: Callable[[Chain], Aims | None],
        *,
        inside: Sequence[int],
        bases: dict[int, list[tuple[Chain, int]]],
    ) -> None:
        self._language, self._parts, self._scopes = language, parts, scopes
        self._key = f"path:{path}"
        self._elsewhere = elsewhere
        self._own: dict[int, Aims] = {}
        self._inside, self._bases = inside, bases

    def aims(self, chain: Chain, place: int, steps: int = 0) -> Aims | None:
        """None where nobody can tell; nothing at all for what the language itself brings."""
        meaning = self._scopes.meaning(chain[0], place)
        if meaning is not None:
            return self._follow(meaning, chain[1:], steps)
        if chain[0] in self._language.builtins:
            return ()
        return self._elsewhere(chain)

    def _follow(self, meaning: Meaning, rest: Chain, steps: int) -> Aims | None:
        if isinstance(meaning, Local) or steps > _FURTHEST:
            return None
        if isinstance(meaning, Symbol):
            return self._member(meaning.part, rest, steps) if rest else self.own(meaning.part)
        if isinstance(meaning, Owner):
            return self._member(meaning.part, rest, steps) if rest else None
        if isinstance(meaning, Bases):
            return self._inherited(meaning.part, rest, steps)
        if isinstance(meaning, Instance):
            return self._of_class(meaning.of, meaning.place, rest, steps) if rest else None
        return meaning.aims(rest)

    def own(self, part: int) -> Aims:
        if part not in self._own:
            self._own[part] = (Aim(self._key, f"::{self._parts[part].name}", strict=True),)
        return self._own[part]

    def _member(self, part: int, rest: Chain, steps: int) -> Aims | None:
        if self._parts[part].kind not in OWNERS:
            return None
        meaning = self._scopes.member(rest[0], self._inside[part])
        if meaning is not None:
            return self._follow(meaning, rest[1:], steps + 1)
        return self._inherited(part, rest, steps)

    def _inherited(self, part: int, rest: Chain, steps: int) -> Aims | None:
        """The first base that has it is the one."""
        bases = self._bases.get(part, ())
        if steps > _FURTHEST:
            return None
        return one_after_another(
            *(self._of_class(chain, place, rest, steps) for chain, place in bases)
        )

    def _of_class(self, chain: Chain, place: int, rest: Chain, steps: int) -> Aims | None:
        """What the class called so has; what its fields are is known in this file only."""
        meaning = self._scopes.meaning(chain[0], place)
        if meaning is None or isinstance(meaning, Local | Known):
            return self.aims((*chain, *rest), place, steps + 1)
        if len(rest) > 1:
            return None
        return meaning.member((*chain[1:], *rest)) if rest else meaning.aims(chain[1:])
