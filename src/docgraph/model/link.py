"""Edges from matches: a reference in one document and a definition of the same key in another."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from docgraph.model.edge import SHARES_ENTITY, Edge, EdgeEvidence, Relationship, inverse
from docgraph.model.node import document_of

MAX_EVIDENCE = 50  # positions that an edge is shown with


class ReferenceMatch(NamedTuple):
    """A reference, and a node (`target`) that defines its key.

    `inner_exists` says whether the target contains `inner`.
    """

    source: str
    relation: str
    path: str
    line: int
    start: int
    end: int
    text: str
    miner: str
    rank: int
    distance_weight: int
    inner: str
    strict: int
    target: str
    target_path: str
    target_rank: int
    inner_exists: int


def edges_of(matches: Iterable[ReferenceMatch]) -> Iterator[Relationship]:
    """The edges from references to the nodes that they match."""
    for match in matches:
        edge = _edge(match)
        if edge is not None:
            rank = match.rank + match.target_rank
            if match.distance_weight:
                rank += match.distance_weight * distance(match.path, match.target_path)
            span = match.start, match.end
            evidence = EdgeEvidence(match.path, match.line, *span, rank, match.text)
            yield Relationship(edge, (match.miner,), (evidence,))


def inverse_edges_of(matches: Iterable[ReferenceMatch]) -> Iterator[Relationship]:
    """The inverses of lifecycle edges, so that old leads to new.

    An inverse has the same evidence without characters: they are not in its source's text.
    """
    for match in matches:
        edge = _edge(match)
        inverted = inverse(edge) if edge is not None else None
        if inverted is not None:
            evidence = EdgeEvidence(match.path, match.line, 0, 0, 0, match.text)
            yield Relationship(inverted, (match.miner,), (evidence,))


def merge_edges(relationships: Iterable[Relationship]) -> tuple[Relationship, ...]:
    """One relationship per edge, sorted, with all origins and all evidence."""
    origins: dict[Edge, set[str]] = {}
    evidence: dict[Edge, set[EdgeEvidence]] = {}
    for one in relationships:
        if one.edge in origins:
            origins[one.edge].update(one.origins)
            evidence[one.edge].update(one.evidence)
        else:
            origins[one.edge] = set(one.origins)
            evidence[one.edge] = set(one.evidence)
    return tuple(
        Relationship(edge, tuple(sorted(origins[edge])), tuple(sorted(evidence[edge])))
        for edge in sorted(origins)
    )


def distance(one: str, other: str) -> int:
    """How many folders lie between two files, up and down."""
    here, there = one.split("/")[:-1], other.split("/")[:-1]
    shared = 0
    for left, right in zip(here, there, strict=False):
        if left != right:
            break
        shared += 1
    return len(here) + len(there) - 2 * shared


def _edge(match: ReferenceMatch) -> Edge | None:
    """None for a reference to its own node or document; code may refer to its own symbols."""
    if match.inner_exists:
        target = match.target + match.inner
    elif match.strict:
        return None
    else:
        target = match.target
    if target == match.source:
        return None
    if "::" not in target and document_of(target) == document_of(match.source):
        return None
    return Edge(match.source, match.relation, target)


# Shared names: edges between documents that contain the same name, if it is rare.


MAX_NAME_HOLDERS = 8  # a name in more visible documents is not rare


class NameHolder(NamedTuple):
    """A document, and the first position of the name in it."""

    document: str
    path: str
    line: int
    text: str


def shared_name_edges(
    document: str,
    holders: Sequence[NameHolder],
    miner: str,
    direction: Literal["out", "in"] = "out",
) -> Iterator[Relationship]:
    """Edges to (or from) every other holder. `holders` are visible ones, `document` among them.

    More than MAX_NAME_HOLDERS make no edges, so a caller needs to read one more at most.
    """
    if len(holders) > MAX_NAME_HOLDERS:
        return
    own = min(holder for holder in holders if holder.document == document)
    for other in holders:
        if other.document != document:
            source, target = (own, other) if direction == "out" else (other, own)
            evidence = EdgeEvidence(source.path, source.line, 0, 0, 0, source.text)
            edge = Edge(source.document, SHARES_ENTITY, target.document)
            yield Relationship(edge, (miner,), (evidence,))
