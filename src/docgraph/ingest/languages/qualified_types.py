"""Types with qualified names, as in Java and C#."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from docgraph.ingest.languages.bindings import Chain, Targets, parse_chain
from docgraph.ingest.languages.definitions import OWNERS
from docgraph.ingest.languages.language import Parts
from docgraph.model.reference import ReferenceTarget

_DISTANCE_WEIGHT = 4
_ARGUMENTS = re.compile(r"<[^<>()]*>")


@dataclass(frozen=True, slots=True)
class Type:
    """The type with that key, or something `inside` it."""

    key: str
    inside: Chain = ()
    rank: int = 0
    report_unresolved: bool = True

    def resolve(self, rest: Chain) -> Targets | None:
        names = [name.removesuffix("()") for name in (*self.inside, *rest)]
        inner = f".{'.'.join(names)}" if names else ""
        return (
            ReferenceTarget(
                self.key, inner, bool(inner), self.rank, _DISTANCE_WEIGHT, self.report_unresolved
            ),
        )

    resolve_member = resolve


def parse_type_chain(text: str) -> Chain | None:
    """Without type arguments, and without the `?` of a nullable type."""
    if text.isidentifier():
        return (text,) if text != "var" else None
    flat = text.removesuffix("?")
    while "<" in flat:
        shorter = _ARGUMENTS.sub("", flat)
        if shorter == flat:
            return None
        flat = shorter
    return parse_chain(flat)


def list_types(parts: Parts) -> Iterator[tuple[int, str]]:
    """Those that other files can name: none that is local to a function."""
    reachable: set[int] = set()
    for index, part in enumerate(parts):
        outer = part.parent is None or part.parent in reachable
        if outer and part.kind in OWNERS and "~" not in part.name:
            reachable.add(index)
            yield index, part.name


def primary_type(parts: Parts, stem: str) -> str:
    """The type that a file is named after, else its first."""
    top = [part.name for part in parts if part.parent is None and part.kind in OWNERS]
    return stem if stem in top or not top else top[0]
