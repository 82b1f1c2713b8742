"""Edges from references: each names a key, and means the nodes that define it."""

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from docgraph.model.edge import MANUAL, SHARES_ENTITY, Edge, EdgeEvidence, Relationship, inverse
from docgraph.model.node import document_of

MAX_EVIDENCE = 50  # positions that an edge is shown with


class Meaning(NamedTuple):
    """What references from one node by one relation have in common, when they have the same key.

    The fields are those of a ReferenceTarget; `path` is that of the node's document.
    """

    source: str
    relation: str
    path: str
    rank: int
    distance_weight: int
    inner: str
    strict: int


class Definer(NamedTuple):
    """A node that defines a key; `path` is that of its document."""

    node: str
    path: str
    rank: int


Position = tuple[int, int, int, str, str]  # line, start, end, text, miner


class ReferenceGroup(NamedTuple):
    """References from one node that mean the same, and the nodes that they may mean, with ranks."""

    source: str
    relation: str
    path: str
    targets: tuple[tuple[str, int], ...]
    positions: Sequence[Position]

    @property
    def spans(self) -> tuple[tuple[int, int], ...]:
        return tuple([position[1:3] for position in self.positions])


def group_references(
    meaning: Meaning,
    definers: Iterable[Definer],
    nodes: Container[str],
    positions: Sequence[Position],
) -> ReferenceGroup:
    """`nodes` has those that the meaning's `inner` names in definers, if they exist."""
    found = [_target(meaning, definer, nodes) for definer in definers]
    targets = tuple([target for target in found if target is not None])
    return ReferenceGroup(meaning.source, meaning.relation, meaning.path, targets, positions)


def _target(meaning: Meaning, definer: Definer, nodes: Container[str]) -> tuple[str, int] | None:
    """None for a reference to its own node or document; code may refer to its own symbols."""
    target = definer.node
    if meaning.inner:
        if target + meaning.inner in nodes:
            target += meaning.inner
        elif meaning.strict:
            return None
    if target == meaning.source:
        return None
    is_own = definer.path == meaning.path and document_of(target) == document_of(meaning.source)
    if is_own and "::" not in target:
        return None
    rank = meaning.rank + definer.rank
    if meaning.distance_weight:
        rank += meaning.distance_weight * distance(meaning.path, definer.path)
    return target, rank


def edges_of(groups: Iterable[ReferenceGroup]) -> Iterator[Relationship]:
    """The edges from references to the nodes that they may mean."""
    for group in groups:
        origins = tuple(sorted({miner for *_, miner in group.positions}))
        for target, rank in group.targets:
            yield Relationship(
                Edge(group.source, group.relation, target),
                origins,
                tuple(
                    EdgeEvidence(group.path, line, start, end, rank, text)
                    for line, start, end, text, _ in group.positions
                ),
            )


def inverse_edges_of(groups: Iterable[ReferenceGroup]) -> Iterator[Relationship]:
    """The inverses of lifecycle edges, so that old leads to new.

    An inverse has the same evidence without characters: they are not in its source's text.
    """
    for one in edges_of(groups):
        if (inverted := inverse(one.edge)) is not None:
            evidence = (EdgeEvidence(e.path, e.line, 0, 0, 0, e.text) for e in one.evidence)
            yield Relationship(inverted, one.origins, tuple(evidence))


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


# Candidates: what planning needs of edges to resolve ambiguity, without their evidence.


class EdgeCandidates(NamedTuple):
    """Edges from one node by one relation that the same characters may mean.

    `targets` have their ranks, `spans` are the characters, from `start` to `end`. An edge whose
    evidence has no characters competes with no other, and one that is `manual` always stays.
    """

    source: str
    relation: str
    targets: tuple[tuple[str, int], ...]
    spans: tuple[tuple[int, int], ...]
    manual: bool = False


def candidates_of(relationship: Relationship) -> Iterator[EdgeCandidates]:
    """One for each rank of its evidence, or one without evidence."""
    edge, manual = relationship.edge, MANUAL in relationship.origins
    spans: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for one in relationship.evidence:
        spans[one.rank].append((one.start, one.end))
    for rank, found in (spans or {0: []}).items():
        targets = ((edge.target, rank),)
        yield EdgeCandidates(edge.source, edge.relation, targets, tuple(found), manual)


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
