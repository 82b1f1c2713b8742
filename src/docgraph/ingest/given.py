"""Given edges: those that came with a corpus, or that people wrote down in relations.yaml."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from docgraph.model.edge import Relationship, inverse
from docgraph.model.meeting import united
from docgraph.model.places import Unresolved
from docgraph.ports.writes import Writes


def take_given(writes: Writes, given: Iterable[Relationship]) -> tuple[Unresolved, ...]:
    """An edge with an end that the snapshot does not hold is unresolved, and never dangling."""
    told = tuple(given)
    held = writes.holds(end for found in told for end in (found.edge.source, found.edge.target))
    kept: list[Relationship] = []
    unresolved: list[Unresolved] = []
    for found in told:
        missing = [end for end in (found.edge.source, found.edge.target) if end not in held]
        if missing:
            place = found.evidence[0] if found.evidence else None
            where = (place.path, place.line) if place else ("", 0)
            unresolved.extend(Unresolved(*where, end) for end in missing)
        else:
            kept.append(_unnumbered(found))
    writes.replace_given(united(with_inverses(kept)))
    return tuple(sorted(set(unresolved)))


def _unnumbered(found: Relationship) -> Relationship:
    """Without lines: they would tell what stands above between documents that are hidden."""
    return replace(found, evidence=tuple(replace(place, line=0) for place in found.evidence))


def with_inverses(relationships: Iterable[Relationship]) -> Iterator[Relationship]:
    """Lifecycle relations are stored both ways, so that old leads to new."""
    for found in relationships:
        yield found
        turned = inverse(found.edge)
        if turned is not None:
            shown = tuple(replace(place, start=0, end=0, rank=0) for place in found.evidence)
            yield Relationship(turned, found.origins, shown)
