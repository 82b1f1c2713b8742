"""Edges: directed, typed relations between nodes, with the places that show them."""

from dataclasses import dataclass

HAND = "hand"
MINED = "mined"


@dataclass(frozen=True, slots=True, order=True)
class Edge:
    source: str
    relation: str
    target: str


@dataclass(frozen=True, slots=True, order=True)
class Evidence:
    """A place in the source that shows the relation.

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

    `origins` tells hand-made from mined: `hand`, or a miner's name.
    """

    edge: Edge
    origins: tuple[str, ...]
    evidence: tuple[Evidence, ...]
