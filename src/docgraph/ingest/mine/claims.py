"""Claims: what a miner says about two documents, united into relationships."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from docgraph.ingest.mine.corpus import Sketch
from docgraph.ingest.parsed import Field, Reference
from docgraph.model.edge import Edge, Evidence, Relationship
from docgraph.model.relation import INVERSES

MOST_EVIDENCE = 50
_LONGEST_SAYING = 120


@dataclass(frozen=True, slots=True)
class Claim:
    """An edge and one place that shows it. It depends on the edge's two documents alone."""

    edge: Edge
    evidence: Evidence


@dataclass(frozen=True, slots=True, order=True)
class Unresolved:
    """A reference that nothing in the corpus matches."""

    path: str
    line: int
    what: str


Finding = Claim | Unresolved


def claim(
    sketch: Sketch,
    relation: str,
    target: str,
    place: Reference | Field,
    *,
    rank: int,
    says: str,
) -> Claim:
    evidence = Evidence(
        sketch.path, place.line, place.start, place.end, rank, says[:_LONGEST_SAYING]
    )
    return Claim(Edge(sketch.id, relation, target), evidence)


def united(relationships: Iterable[Relationship]) -> tuple[Relationship, ...]:
    """One relationship per edge, sorted, with everybody's origins and the first evidence."""
    origins: dict[Edge, set[str]] = {}
    evidence: dict[Edge, set[Evidence]] = {}
    for found in relationships:
        origins.setdefault(found.edge, set()).update(found.origins)
        evidence.setdefault(found.edge, set()).update(found.evidence)
    return tuple(
        Relationship(edge, tuple(sorted(origins[edge])), first_evidence(evidence[edge]))
        for edge in sorted(origins)
    )


def first_evidence(found: Iterable[Evidence]) -> tuple[Evidence, ...]:
    return tuple(sorted(found)[:MOST_EVIDENCE])


def with_inverses(relationships: Iterable[Relationship]) -> Iterator[Relationship]:
    """Lifecycle relations are stored both ways, so that old leads to new.

    The inverse shows the same place but claims no characters: they are not in its source's text.
    """
    for found in relationships:
        yield found
        inverse = INVERSES.get(found.edge.relation)
        if inverse is not None:
            edge = Edge(found.edge.target, inverse, found.edge.source)
            shown = tuple(replace(place, start=0, end=0, rank=0) for place in found.evidence)
            yield Relationship(edge, found.origins, shown)
