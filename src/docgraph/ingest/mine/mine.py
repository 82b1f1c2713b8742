"""Mining: every miner over one corpus, united with the edges that were given."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from types import MappingProxyType

from docgraph.ingest.mine.claims import (
    Finding,
    Unresolved,
    first_evidence,
    united,
    with_inverses,
)
from docgraph.ingest.mine.corpus import Corpus
from docgraph.ingest.mine.headers import headers
from docgraph.ingest.mine.imports import imports
from docgraph.ingest.mine.links import links
from docgraph.ingest.mine.titles import titles
from docgraph.model.edge import Edge, Evidence, Relationship
from docgraph.model.errors import BadInput

MINERS: MappingProxyType[str, Callable[[Corpus], Iterator[Finding]]] = MappingProxyType(
    {"headers": headers, "imports": imports, "links": links, "titles": titles}
)
ALL_MINERS = frozenset(MINERS)


@dataclass(frozen=True, slots=True)
class Mined:
    """Relationships sorted by edge; `found` counts edges by the miner that claimed them."""

    relationships: tuple[Relationship, ...]
    unresolved: tuple[Unresolved, ...]
    found: tuple[tuple[str, int], ...]


def mine(
    corpus: Corpus,
    miners: frozenset[str] = ALL_MINERS,
    given: Iterable[Relationship] = (),
) -> Mined:
    """An edge depends on its two ends alone; which of several claims holds, the question decides.

    A given edge with an end that the corpus does not hold is unresolved.
    """
    relationships: list[Relationship] = []
    unresolved: list[Unresolved] = []
    for name in known_miners(miners):
        relationships.extend(_run(name, corpus, unresolved))
    for relationship in given:
        if missing := [end for end in _ends(relationship) if not corpus.holds(end)]:
            place = relationship.evidence[0] if relationship.evidence else None
            where = (place.path, place.line) if place else ("", 0)
            unresolved.extend(Unresolved(*where, end) for end in missing)
        else:
            relationships.append(relationship)
    whole = united(with_inverses(relationships))
    counts = Counter(origin for found in whole for origin in found.origins)
    return Mined(whole, tuple(sorted(set(unresolved))), tuple(sorted(counts.items())))


def known_miners(miners: frozenset[str]) -> tuple[str, ...]:
    if unknown := sorted(miners - ALL_MINERS):
        known = ", ".join(sorted(ALL_MINERS))
        raise BadInput(f"no miner is called {', '.join(unknown)}; known: {known}")
    return tuple(sorted(miners))


def _run(name: str, corpus: Corpus, unresolved: list[Unresolved]) -> Iterator[Relationship]:
    evidence: dict[Edge, list[Evidence]] = {}
    for finding in MINERS[name](corpus):
        if isinstance(finding, Unresolved):
            unresolved.append(finding)
        else:
            evidence.setdefault(finding.edge, []).append(finding.evidence)
    for edge, places in evidence.items():
        yield Relationship(edge, (name,), first_evidence(places))


def _ends(relationship: Relationship) -> tuple[str, str]:
    return relationship.edge.source, relationship.edge.target
