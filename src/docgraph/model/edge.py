"""Edges: directed, typed relations between nodes, with the places that show them."""

from dataclasses import dataclass

from docgraph.model.relation import INVERSES

HAND = "hand"
STRUCTURE = "structure"


@dataclass(frozen=True, slots=True, order=True)
class Edge:
    source: str
    relation: str
    target: str


@dataclass(frozen=True, slots=True, order=True)
class Evidence:
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
    evidence: tuple[Evidence, ...]


def inverse(edge: Edge) -> Edge | None:
    """Lifecycle relations have one, so that "outgoing" leads from old to new too."""
    if edge.relation not in INVERSES:
        return None
    return Edge(edge.target, INVERSES[edge.relation], edge.source)


def both_ways(edge: Edge) -> tuple[Edge, ...]:
    turned = inverse(edge)
    return (edge,) if turned is None else (edge, turned)
