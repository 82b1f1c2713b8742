"""Shared names: documents that hold the same name, if it is rare among what a reader can see."""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from docgraph.model.edge import Edge, Evidence, Relationship
from docgraph.model.relation import SHARES_ENTITY

MOST_HOLDERS = 8  # a name that more visible documents hold says little about any two of them


class Holder(NamedTuple):
    """A document, and where it first holds the name."""

    document: str
    path: str
    line: int
    says: str


def shared(
    document: str, holders: Sequence[Holder], miner: str, direction: Literal["out", "in"] = "out"
) -> Iterator[Relationship]:
    """Edges to (or from) every other holder. `holders` are visible ones, `document` among them.

    Whoever asks a store for one holder more than the most can tell a rare name from a common one.
    """
    if len(holders) > MOST_HOLDERS:
        return
    own = next(holder for holder in holders if holder.document == document)
    for other in holders:
        if other is not own:
            source, target = (own, other) if direction == "out" else (other, own)
            place = Evidence(source.path, source.line, 0, 0, 0, source.says)
            edge = Edge(source.document, SHARES_ENTITY, target.document)
            yield Relationship(edge, (miner,), (place,))
