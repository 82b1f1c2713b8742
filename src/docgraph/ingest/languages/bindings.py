"""What a name in code stands for, and where that may be."""

import re
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

Chain = tuple[str, ...]
# More than any distance between folders: what is said first comes first.
STEP = 1_000


class Aim(NamedTuple):
    """The far half of a claim (see `model.claim`): what its characters may mean."""

    key: str
    inner: str = ""
    strict: bool = False
    rank: int = 0
    near: int = 0
    reported: bool = True


Aims = tuple[Aim, ...]


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
    """`super`: what the class with this part is built on."""

    part: int


@dataclass(frozen=True, slots=True)
class Instance:
    """A variable whose class is called `of` at that place in the file."""

    of: Chain
    place: int = field(compare=False)


class Imported(Protocol):
    """Something from another file."""

    def aims(self, rest: Chain) -> Aims | None:
        """Where the name followed by `rest` may lead; None where nobody can tell."""

    def member(self, rest: Chain) -> Aims | None:
        """The same where all of it but the last name is known to be a class."""


@dataclass(frozen=True, slots=True)
class AlternativeImports:
    """One of several imports, as after `try: … except ImportError: …`; the first is likeliest."""

    imports: tuple[Imported, ...]

    def aims(self, rest: Chain) -> Aims | None:
        return in_order(*(each.aims(rest) for each in self.imports))

    def member(self, rest: Chain) -> Aims | None:
        return in_order(*(each.member(rest) for each in self.imports))


LOCAL = Local()
Known = Symbol | Owner | Bases | Instance
Binding = Local | Known | Imported


def in_order(*found: Aims | None) -> Aims | None:
    """All of them, each but the first only where those before it lead nowhere."""
    told = [aims for aims in found if aims]
    if len(told) < 2:
        return told[0] if told else next((aims for aims in found if aims is not None), None)
    joined: list[Aim] = []
    for aims in told:
        above = joined[-1].rank // STEP * STEP + STEP if joined else 0
        joined.extend(aim._replace(rank=aim.rank + above) for aim in aims)
    return tuple(joined)


def merged(old: Binding | None, new: Binding) -> Binding:
    """A name with two meanings in one scope means neither, unless both are alike.

    A symbol that is defined again goes by its first definition, as it does from outside.
    """
    if old is None or old == new:
        return new
    if isinstance(old, Symbol) and isinstance(new, Symbol):
        return old
    if isinstance(old, Local | Known) or isinstance(new, Local | Known):
        return LOCAL
    imports = old.imports if isinstance(old, AlternativeImports) else (old,)
    return old if new in imports else AlternativeImports((*imports, new))


# Dotted names as they stand in code: `a.b.c` is the chain of `a`, `b` and `c`.


LONGEST = 200
_CHAIN = re.compile(r"[^\W\d][\w$]*(?:\.#?[\w$]+)*|\$[\w$]*(?:\.#?[\w$]+)*")


def chain_of(text: str) -> Chain | None:
    """None for anything but names and dots, such as a call's result or a subscript."""
    if text.isidentifier():
        return (text,)
    flat = "".join(text.split()).replace("?.", ".")
    return tuple(flat.split(".")) if _CHAIN.fullmatch(flat) else None
