"""Edges: directed, typed relations between nodes, with the places that show them."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from types import MappingProxyType

from docgraph.model.reference import ReferenceCount

# The catalogue of relation types: a pipeline or a person may name these and no others.


RELATIONS = MappingProxyType(
    {
        "calls": "code that calls a function or method",
        "contains": "a node that encloses another",
        "decision_for": "a decision that settles something",
        "derived_from": "a document made out of another",
        "documents": "a document that names a symbol or path",
        "example_of": "an example of something",
        "explains": "a document that explains another",
        "implements": "code or a document that carries out another",
        "imports": "code that imports a module",
        "inherits": "a class built on another",
        "mentions": "a text that mentions another document's title",
        "obsoleted_by": "the inverse of obsoletes",
        "obsoletes": "a document that makes another obsolete",
        "reads": "code that reads a table",
        "references": "a document that links to or cites another",
        "replaced_by": "the inverse of replaces",
        "replaces": "a document that takes another's place",
        "requires": "a document that builds on another",
        "shares_entity": "two documents that share a rare name",
        "superseded_by": "the inverse of supersedes",
        "supersedes": "a newer document that overrules another",
        "updated_by": "the inverse of updates",
        "updates": "a document that amends another",
        "writes": "code that writes a table",
    }
)

# Lifecycle relations store their inverse too, so that "outgoing" leads from old to new.
INVERSES = MappingProxyType(
    {
        "supersedes": "superseded_by",
        "superseded_by": "supersedes",
        "replaces": "replaced_by",
        "replaced_by": "replaces",
        "obsoletes": "obsoleted_by",
        "obsoleted_by": "obsoletes",
        "updates": "updated_by",
        "updated_by": "updates",
    }
)

CONTAINS = "contains"
SHARES_ENTITY = "shares_entity"
# Relations that a claim and an offer can make.
MINED_FROM = frozenset(RELATIONS) - {CONTAINS, SHARES_ENTITY}


HAND = "hand"
STRUCTURE = "structure"


@dataclass(frozen=True, slots=True, order=True)
class Edge:
    source: str
    relation: str
    target: str


@dataclass(frozen=True, slots=True, order=True)
class EdgeEvidence:
    """A place in the source that shows the relation; `line` is 0 where lines would tell too much.

    `start` and `end` are the characters of the source's text that say so. Where several targets
    claim the same characters, the question decides among the visible ones: the longest claim
    wins, then the lowest `rank`.
    """

    path: str
    line: int
    start: int
    end: int
    rank: int
    says: str


@dataclass(frozen=True, slots=True, order=True)
class Relationship:
    """An edge as it is stored: unique by (source, relation, target).

    `origins` tells who said so: `hand`, `curated`, `given`, `structure`, or a miner's name.
    """

    edge: Edge
    origins: tuple[str, ...]
    evidence: tuple[EdgeEvidence, ...]


def inverse(edge: Edge) -> Edge | None:
    """Lifecycle relations have one, so that "outgoing" leads from old to new too."""
    if edge.relation not in INVERSES:
        return None
    return Edge(edge.target, INVERSES[edge.relation], edge.source)


def with_inverse(edge: Edge) -> tuple[Edge, ...]:
    turned = inverse(edge)
    return (edge,) if turned is None else (edge, turned)


# Counting relations: how many there are of each kind, who found them, and a few to look at.


EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class RelationCount:
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
    found: tuple[RelationCount, ...]
    opaque_calls: int


def count_relations(
    relationships: Iterable[Relationship], places: Iterable[ReferenceCount], opaque: int
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
            RelationCount(*key, found[key], unmet.get(key, 0), tuple(examples[key]))
            for key in sorted(found.keys() | unmet.keys())
        ),
        opaque_calls=opaque,
    )
