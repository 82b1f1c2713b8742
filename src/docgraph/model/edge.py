"""Edges: directed, typed relations between nodes, with their evidence in the source."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from types import MappingProxyType

from docgraph.model.reference import ReferenceCount

# Relation types: pipelines and people may use no others.

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

# Lifecycle relations are stored with their inverse, so that "outgoing" leads from old to new.
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
# Relations that a reference and a definition can make.
MINED_RELATIONS = frozenset(RELATIONS) - {CONTAINS, SHARES_ENTITY}

# Origins of edges besides the miners' names.
MANUAL = "manual"
STRUCTURE = "structure"


@dataclass(frozen=True, slots=True, order=True)
class Edge:
    source: str
    relation: str
    target: str


@dataclass(frozen=True, slots=True, order=True)
class EdgeEvidence:
    """A position in the source that shows the relation; `line` is 0 where it has none.

    `start` and `end` are its characters in the source's text. Where several targets match the
    same characters, the longest match wins among those visible, then the lowest `rank`.
    """

    path: str
    line: int
    start: int
    end: int
    rank: int
    text: str


@dataclass(frozen=True, slots=True, order=True)
class Relationship:
    """An edge as it is stored: unique by (source, relation, target).

    `origins` are `manual`, `curated`, `imported`, `structure`, or miners' names.
    """

    edge: Edge
    origins: tuple[str, ...]
    evidence: tuple[EdgeEvidence, ...]


def inverse(edge: Edge) -> Edge | None:
    """Only lifecycle relations have one."""
    if edge.relation not in INVERSES:
        return None
    return Edge(edge.target, INVERSES[edge.relation], edge.source)


def with_inverse(edge: Edge) -> tuple[Edge, ...]:
    inverted = inverse(edge)
    return (edge,) if inverted is None else (edge, inverted)


# Counts of relations by type and origin, with examples.


MAX_EXAMPLES = 3  # for each origin and relation


@dataclass(frozen=True, slots=True)
class RelationCount:
    """Edges of one relation from one origin (a miner, `manual`, …).

    `unresolved` counts references that match no definition and should.
    """

    origin: str
    relation: str
    edges: int
    unresolved: int
    examples: tuple[Relationship, ...]


@dataclass(frozen=True, slots=True)
class RelationCounts:
    """`edges` counts each edge once by relation; `by_origin` counts it once for each origin."""

    edges: tuple[tuple[str, int], ...]
    by_origin: tuple[RelationCount, ...]
    unresolved_calls: int


def count_relations(
    relationships: Iterable[Relationship],
    references: Iterable[ReferenceCount],
    unresolved_calls: int,
) -> RelationCounts:
    edges: Counter[str] = Counter()
    counts: Counter[tuple[str, str]] = Counter()
    examples: defaultdict[tuple[str, str], list[Relationship]] = defaultdict(list)
    for relationship in relationships:
        relation = relationship.edge.relation
        edges[relation] += 1
        for origin in relationship.origins:
            counts[origin, relation] += 1
            if len(examples[origin, relation]) < MAX_EXAMPLES:
                examples[origin, relation].append(relationship)
    unresolved = {(one.miner, one.relation): one.unresolved for one in references if one.unresolved}
    return RelationCounts(
        edges=tuple(sorted(edges.items())),
        by_origin=tuple(
            RelationCount(*key, counts[key], unresolved.get(key, 0), tuple(examples[key]))
            for key in sorted(counts.keys() | unresolved.keys())
        ),
        unresolved_calls=unresolved_calls,
    )
