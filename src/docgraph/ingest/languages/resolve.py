"""Resolves a chain of names at a position to the targets that it may mean. Nothing is guessed."""

from collections.abc import Sequence
from dataclasses import dataclass

from docgraph.ingest.languages.bindings import (
    Bases,
    Binding,
    Chain,
    Imported,
    InFile,
    Instance,
    Local,
    Owner,
    Symbol,
    Targets,
    in_order,
)
from docgraph.ingest.languages.definitions import OWNERS
from docgraph.ingest.languages.language import Language, ResolveUnbound
from docgraph.ingest.languages.scopes import Scopes
from docgraph.ingest.parsed_file import Part
from docgraph.model.reference import ReferenceTarget

# The bases that classes name: by part and relation, the names and their positions.
BasesOf = dict[tuple[int, str], list[tuple[Chain, int]]]
_MAX_ANCESTORS = 64
# Steps from a variable to its class, to that class's field, to the class of that.
_MAX_STEPS = 8
CLASSES = ("inherits",)
ALL = ("inherits", "implements")


@dataclass(frozen=True, slots=True)
class ExternalBase:
    """A class of another file, called `chain`; `imported` is None if nothing binds the name."""

    chain: Chain
    imported: Imported | None
    resolve_unbound: ResolveUnbound

    def resolve(self, rest: Chain) -> Targets | None:
        """Its own members; the members of its fields cannot be known from this file."""
        if len(rest) > 1:
            return None
        if self.imported is None:
            return self.resolve_unbound((*self.chain, *rest))
        inner = (*self.chain[1:], *rest)
        return self.imported.resolve_member(inner) if rest else self.imported.resolve(inner)


Class = int | ExternalBase  # a part of this file, or a class of another


class ClassHierarchy:
    """A class and its bases, in this file and in others; `inside` is each part's own scope."""

    def __init__(
        self,
        parts: Sequence[Part],
        scopes: Scopes,
        resolve_unbound: ResolveUnbound,
        *,
        inside: Sequence[int],
        bases: BasesOf,
    ) -> None:
        self._parts, self._scopes, self._resolve_unbound = parts, scopes, resolve_unbound
        self._inside, self._stated = inside, bases
        self._ancestors: dict[tuple[int, tuple[str, ...]], list[Class]] = {}

    def bases(self, part: int, relations: tuple[str, ...]) -> list[Class]:
        stated = [base for one in relations for base in self._stated.get((part, one), ())]
        classes = (self.find_class(chain, position) for chain, position in stated)
        return [base for base in classes if base is not None]

    def ancestors(self, part: int, relations: tuple[str, ...]) -> list[Class]:
        """The class itself first, then each base before the bases of that."""
        cached = self._ancestors.get((part, relations))
        if cached is not None:
            return cached
        classes: list[Class] = []
        seen: set[int] = set()
        pending: list[Class] = [part]
        while pending and len(classes) < _MAX_ANCESTORS:
            one = pending.pop()
            if isinstance(one, ExternalBase) or one not in seen:
                classes.append(one)
            if isinstance(one, int) and one not in seen:
                seen.add(one)
                pending.extend(reversed(self.bases(one, relations)))
        self._ancestors[part, relations] = classes
        return classes

    def find_class(self, chain: Chain, position: int) -> Class | None:
        """The class that the names mean there; None for what is no class, or is not known."""
        binding = self._scopes.lookup_type(chain[0], position)
        rest = chain[1:]
        while rest and isinstance(binding, Symbol) and self._parts[binding.part].kind in OWNERS:
            binding = self._scopes.lookup_member(rest[0], self._inside[binding.part])
            if binding is None:
                return None
            rest = rest[1:]
        if isinstance(binding, Symbol):
            is_class = self._parts[binding.part].kind in OWNERS
            return binding.part if is_class and not rest else None
        if binding is None or not isinstance(binding, Local | InFile):
            return ExternalBase(chain, binding, self._resolve_unbound)
        return None


class Resolver:
    """`inside` is each part's own scope."""

    def __init__(
        self,
        language: Language,
        path: str,
        parts: Sequence[Part],
        scopes: Scopes,
        hierarchy: ClassHierarchy,
        *,
        inside: Sequence[int],
        resolve_unbound: ResolveUnbound,
    ) -> None:
        self._builtins, self._parts, self._scopes = language.builtins, parts, scopes
        self._hierarchy, self._inside, self._resolve_unbound = hierarchy, inside, resolve_unbound
        self._key = f"path:{path}"
        self._own: dict[int, Targets] = {}
        self._cache: dict[Chain, Targets | None] = {}

    def resolve(self, chain: Chain, position: int) -> Targets | None:
        """None where that is not known; empty for a builtin of the language."""
        if chain in self._cache:
            return self._cache[chain]
        binding = self._scopes.lookup(chain[0], position)
        if binding is not None:
            targets = self._follow(binding, chain[1:], 0)
        elif chain[0] in self._builtins:
            targets = ()
        else:
            inherited = self._resolve_inherited(chain, position)
            targets = in_order(inherited, self._resolve_unbound(chain))
        if self._scopes.is_same_everywhere(chain[0]) and not chain[0].endswith("()"):
            self._cache[chain] = targets
        return targets

    def resolve_type(self, chain: Chain, position: int) -> Targets | None:
        """Where the names mean a class."""
        named = self._hierarchy.find_class(chain, position)
        if named is None:
            return self.resolve(chain, position)
        if isinstance(named, int):
            return self.own_targets(named)
        return () if chain[0] in self._builtins and not named.imported else named.resolve(())

    def own_targets(self, part: int) -> Targets:
        """Those of a part of this file, always the same object."""
        if part not in self._own:
            target = ReferenceTarget(self._key, self._parts[part].suffix, strict=True)
            self._own[part] = (target,)
        return self._own[part]

    def is_own(self, target: ReferenceTarget) -> bool:
        return target.key == self._key

    def _resolve_inherited(self, chain: Chain, position: int) -> Targets | None:
        """A method called without a receiver may be inherited by a class around the call."""
        owner = self._scopes.lookup("this", position) if chain[0].endswith("()") else None
        part = owner.part if isinstance(owner, Owner) else None
        alternatives: list[Targets | None] = []
        while part is not None:
            bases = self._hierarchy.ancestors(part, CLASSES)[1:]
            alternatives.append(self._resolve_member(bases, chain, 0))
            part = self._parts[part].parent
        return in_order(*alternatives)

    def _follow(self, binding: Binding, rest: Chain, steps: int) -> Targets | None:
        if isinstance(binding, Local) or steps > _MAX_STEPS:
            return None
        if isinstance(binding, Symbol | Owner):
            return self._follow_symbol(binding, rest, steps)
        if isinstance(binding, Bases):
            return self._follow_bases(binding.part, rest, steps)
        if isinstance(binding, Instance):
            return self._follow_instance(binding, rest, steps) if rest else None
        return binding.resolve(rest)

    def _follow_symbol(self, binding: Symbol | Owner, rest: Chain, steps: int) -> Targets | None:
        if not rest:
            return self.own_targets(binding.part) if isinstance(binding, Symbol) else None
        if self._parts[binding.part].kind not in OWNERS:
            return None
        return self._resolve_member(self._hierarchy.ancestors(binding.part, ALL), rest, steps)

    def _follow_instance(self, binding: Instance, rest: Chain, steps: int) -> Targets | None:
        named = self._hierarchy.find_class(binding.of, binding.position)
        if isinstance(named, int):
            return self._resolve_member(self._hierarchy.ancestors(named, ALL), rest, steps)
        return named.resolve(rest) if named is not None else None

    def _follow_bases(self, part: int, rest: Chain, steps: int) -> Targets | None:
        """`super.name`; `super` alone means the bases themselves."""
        if rest:
            return self._resolve_member(self._hierarchy.ancestors(part, CLASSES)[1:], rest, steps)
        bases = self._hierarchy.bases(part, CLASSES)
        return in_order(
            *(self.own_targets(b) if isinstance(b, int) else b.resolve(()) for b in bases)
        )

    def _resolve_member(self, classes: Sequence[Class], rest: Chain, steps: int) -> Targets | None:
        """Of the first class that has it; a class of another file may have it or not."""
        alternatives: list[Targets | None] = []
        for one in classes:
            if not isinstance(one, int):
                alternatives.append(one.resolve(rest))
                continue
            binding = self._scopes.lookup_member(rest[0], self._inside[one])
            if binding is not None:
                alternatives.append(self._follow(binding, rest[1:], steps + 1))
                break
        return in_order(*alternatives)
