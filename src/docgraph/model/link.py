"""Meetings: where one document's claim and another's offer of the same key make an edge."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from docgraph.model.edge import SHARES_ENTITY, Edge, EdgeEvidence, Relationship, inverse
from docgraph.model.node import document_of

MOST_EVIDENCE = 50


class ReferenceMatch(NamedTuple):
    """A claim, and the node that offers its key. `holds` tells whether `inner` is in there."""

    source: str
    relation: str
    path: str
    line: int
    start: int
    end: int
    says: str
    miner: str
    rank: int
    near: int
    inner: str
    strict: int
    offered: str
    offered_path: str
    offered_rank: int
    holds: int


def edges_of(meetings: Iterable[ReferenceMatch]) -> Iterator[Relationship]:
    """The edges that the claims say."""
    for met in meetings:
        edge = _edge(met)
        if edge is not None:
            rank = met.rank + met.offered_rank
            if met.near:
                rank += met.near * distance(met.path, met.offered_path)
            place = EdgeEvidence(met.path, met.line, met.start, met.end, rank, met.says)
            yield Relationship(edge, (met.miner,), (place,))


def inverse_edges_of(meetings: Iterable[ReferenceMatch]) -> Iterator[Relationship]:
    """The inverses of lifecycle edges, so that old leads to new.

    An inverse shows the same place but claims no characters: they are not in its source's text.
    """
    for met in meetings:
        edge = _edge(met)
        turned = inverse(edge) if edge is not None else None
        if turned is not None:
            place = EdgeEvidence(met.path, met.line, 0, 0, 0, met.says)
            yield Relationship(turned, (met.miner,), (place,))


def merge_edges(relationships: Iterable[Relationship]) -> tuple[Relationship, ...]:
    """One relationship per edge, sorted, with everybody's origins and the first evidence."""
    origins: dict[Edge, set[str]] = {}
    evidence: dict[Edge, set[EdgeEvidence]] = {}
    for found in relationships:
        if found.edge in origins:
            origins[found.edge].update(found.origins)
            evidence[found.edge].update(found.evidence)
        else:
            origins[found.edge] = set(found.origins)
            evidence[found.edge] = set(found.evidence)
    return tuple(
        Relationship(
            edge, tuple(sorted(origins[edge])), tuple(sorted(evidence[edge])[:MOST_EVIDENCE])
        )
        for edge in sorted(origins)
    )


def distance(one: str, other: str) -> int:
    """Steps through folders from one file to another: it depends on the two paths alone."""
    here, there = one.split("/")[:-1], other.split("/")[:-1]
    shared = 0
    for left, right in zip(here, there, strict=False):
        if left != right:
            break
        shared += 1
    return len(here) + len(there) - 2 * shared


def _edge(met: ReferenceMatch) -> Edge | None:
    """A document does not speak of itself, but code calls its own symbols."""
    if met.holds:
        target = met.offered + met.inner
    elif met.strict:
        return None
    else:
        target = met.offered
    if target == met.source:
        return None
    if "::" not in target and document_of(target) == document_of(met.source):
        return None
    return Edge(met.source, met.relation, target)


# Shared names: documents that hold the same name, if it is rare among what a reader can see.


MOST_HOLDERS = 8  # a name that more visible documents hold says little about any two of them


class NameHolder(NamedTuple):
    """A document, and where it first holds the name."""

    document: str
    path: str
    line: int
    says: str


def shared_name_edges(
    document: str,
    holders: Sequence[NameHolder],
    miner: str,
    direction: Literal["out", "in"] = "out",
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
            place = EdgeEvidence(source.path, source.line, 0, 0, 0, source.says)
            edge = Edge(source.document, SHARES_ENTITY, target.document)
            yield Relationship(edge, (miner,), (place,))
