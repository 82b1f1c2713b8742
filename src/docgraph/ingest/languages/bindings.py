"""What a name in code is bound to, and the targets that it may resolve to."""

import re
from dataclasses import dataclass, field
from typing import Protocol

from docgraph.model.reference import ReferenceTarget

# A dotted name in code: `a.b.c` is the chain of `a`, `b` and `c`.
Chain = tuple[str, ...]
Targets = tuple[ReferenceTarget, ...]
# More than any distance between folders: what is imported first ranks first.
RANK_STEP = 1_000
MAX_CHAIN_BYTES = 200
MAX_IMPORT_CHARACTERS = 400  # of a module, package or namespace; a longer one is not followed
MAX_ALTERNATIVES = 12  # of what one name may mean; others are left out
_CHAIN = re.compile(r"[^\W\d][\w$]*(?:\.#?[\w$]+)*|\$[\w$]*(?:\.#?[\w$]+)*")


class Local:
    """A parameter or a variable of which nothing is known."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A definition in the same file, by the index of its part."""

    part: int


@dataclass(frozen=True, slots=True)
class Owner:
    """`self`, `this`: an object of the class with this part."""

    part: int


@dataclass(frozen=True, slots=True)
class Bases:
    """`super`: the bases of the class with this part."""

    part: int


@dataclass(frozen=True, slots=True)
class Instance:
    """A variable whose class is called `of` at that position in the file."""

    of: Chain
    position: int = field(compare=False)


class Imported(Protocol):
    """A name from another file."""

    def resolve(self, rest: Chain) -> Targets | None:
        """What the name followed by `rest` may mean; None where that cannot be known."""

    def resolve_member(self, rest: Chain) -> Targets | None:
        """The same where all of it but the last name is known to be a class."""


@dataclass(frozen=True, slots=True)
class AlternativeImports:
    """One of several imports, as after `try: … except ImportError: …`; the first is likeliest."""

    imports: tuple[Imported, ...]

    def resolve(self, rest: Chain) -> Targets | None:
        return in_order(*(each.resolve(rest) for each in self.imports))

    def resolve_member(self, rest: Chain) -> Targets | None:
        return in_order(*(each.resolve_member(rest) for each in self.imports))


LOCAL = Local()
InFile = Symbol | Owner | Bases | Instance
Binding = Local | InFile | Imported


def in_order(*alternatives: Targets | None) -> Targets | None:
    """The first of them, each but the first only where those before it resolve to nothing."""
    known = [targets for targets in alternatives if targets][:MAX_ALTERNATIVES]
    if len(known) < 2:
        return known[0] if known else next((t for t in alternatives if t is not None), None)
    joined: list[ReferenceTarget] = []
    for targets in known:
        above = joined[-1].rank // RANK_STEP * RANK_STEP + RANK_STEP if joined else 0
        joined.extend(target._replace(rank=target.rank + above) for target in targets)
    return tuple(joined)


def merge_bindings(old: Binding | None, new: Binding) -> Binding:
    """A name with two bindings in one scope has none that is known, unless both are equal.

    A symbol that is defined again is its first definition, as it is for other files.
    """
    if old is None or old == new:
        return new
    if isinstance(old, Symbol) and isinstance(new, Symbol):
        return old
    if isinstance(old, Local | InFile) or isinstance(new, Local | InFile):
        return LOCAL
    imports = old.imports if isinstance(old, AlternativeImports) else (old,)
    if new in imports or len(imports) == MAX_ALTERNATIVES:
        return old
    return AlternativeImports((*imports, new))


def parse_chain(text: str) -> Chain | None:
    """None for anything but names and dots, such as a call's result or a subscript."""
    if text.isidentifier():
        return (text,)
    flat = "".join(text.split()).replace("?.", ".")
    return tuple(flat.split(".")) if _CHAIN.fullmatch(flat) else None
