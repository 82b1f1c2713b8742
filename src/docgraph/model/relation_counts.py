"""Counting relations: how many there are of each kind, who found them, and a few to look at."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from docgraph.model.edge import Relationship
from docgraph.model.places import PlaceCount

EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class Found:
    """What one origin (a miner, `hand`, …) found of one relation.

    `unresolved` counts places whose words should name another node and name none.
    """

    origin: str
    relation: str
    edges: int
    unresolved: int
    examples: tuple[Relationship, ...]


@dataclass(frozen=True, slots=True)
class RelationCounts:
    """`edges` counts each edge once by relation; `found` counts it for everyone who found it."""

    edges: tuple[tuple[str, int], ...]
    found: tuple[Found, ...]
    opaque_calls: int


def counted(
    relationships: Iterable[Relationship], places: Iterable[PlaceCount], opaque: int
) -> RelationCounts:
    edges: Counter[str] = Counter()
    found: Counter[tuple[str, str]] = Counter()
    examples: defaultdict[tuple[str, str], list[Relationship]] = defaultdict(list)
    for relationship in relationships:
        relation = relationship.edge.relation
        edges[relation] += 1
        for origin in relationship.origins:
            found[origin, relation] += 1
            if len(examples[origin, relation]) < EXAMPLES:
                examples[origin, relation].append(relationship)
    unmet = {(place.miner, place.relation): place.unmet for place in places if place.unmet}
    return RelationCounts(
        edges=tuple(sorted(edges.items())),
        found=tuple(
            Found(*key, found[key], unmet.get(key, 0), tuple(examples[key]))
            for key in sorted(found.keys() | unmet.keys())
        ),
        opaque_calls=opaque,
    )
