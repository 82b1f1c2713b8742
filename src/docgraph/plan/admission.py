"""Admission: who gets the places of a plan, and in which order they stand there."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from docgraph.model.edge import SHARES_ENTITY, Relationship
from docgraph.model.node import document_of
from docgraph.model.plan import Expansion
from docgraph.model.question import Question
from docgraph.model.seeds import Seeds, normalised_cosine
from docgraph.model.vector import cosine
from docgraph.ports.search_reads import SearchReads, similarity_of

# Lifting: whoever stands well to the question takes its neighbours some way up with it.


DIGITS = 12
HALFWAY = 2  # a neighbour is lifted halfway to its seed at most
REFERENCE_SHARE = 0.5
SHARED_NAME_SHARE = 0.2

Lift = Callable[[float, float, str, int], float]


class PropagatedScore(NamedTuple):
    score: float
    expansion: Expansion


def damped(own: float, seed: float, _relation: str, many: int) -> float:
    """Up to the seed, halfway; less far where the seed reaches many documents by this relation."""
    return own + (seed - own) / max(HALFWAY, math.sqrt(many))


def relation_weighted(own: float, seed: float, relation: str, _many: int) -> float:
    """By kind of relation: the policy that has to be asked for."""
    return own + (SHARED_NAME_SHARE if relation == SHARES_ENTITY else REFERENCE_SHARE) * seed


def propagate_scores(
    first: tuple[str, ...],
    edges: Iterable[Relationship],
    own: Mapping[str, float],
    lift: Lift,
) -> dict[str, PropagatedScore]:
    """Documents one edge away, best first, each by the edge that lifts it most.

    `edges` leave the seeds, in the order of seed and first mention; of edges that lift alike, the
    first counts. Nobody is lowered.
    """
    roots = {document_of(seed) for seed in first}
    reached: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    found = [(edge.edge, document_of(edge.edge.source)) for edge in edges]
    for edge, source in found:
        reached[source, edge.relation].add(document_of(edge.target))
    best: dict[str, PropagatedScore] = {}
    for edge, source in found:
        root = document_of(edge.target)
        if root in roots:
            continue
        many = len(reached[source, edge.relation])
        raised = max(own[root], lift(own[root], own[source], edge.relation, many))
        score = round(raised, DIGITS)
        if root not in best or score > best[root].score:
            expansion = Expansion(root, edge.relation, edge.source, edge.target, 1)
            best[root] = PropagatedScore(score, expansion)
    return dict(sorted(best.items(), key=lambda item: (-item[1].score, item[0])))


def document_scores(
    seeds: Seeds, nodes: Iterable[str], question: Question, search: SearchReads
) -> dict[str, float]:
    """How documents stand to the question: candidates as search says, others on the same scale.

    A document of which parts are seeds stands as the best of them.
    """
    known = dict(seeds.standing.scores)
    for seed in seeds.ranked:
        root = document_of(seed.id)
        known[root] = max(seed.score, known.get(root, seed.score))
    missing = tuple(dict.fromkeys(node for node in nodes if node not in known))
    middle = seeds.standing.middle
    if middle is None or not question.vector:
        return known | dict.fromkeys(missing, 0.0)
    passages = seeds.standing.passages
    near = similarity_of(question.vector, missing, search, passages=passages, roll_up=True)
    return known | {node: normalised_cosine(cosine(near.get(node, 0)), middle) for node in missing}


class Admission(NamedTuple):
    seeds: tuple[str, ...]
    expanded: tuple[Expansion, ...]
    order: tuple[str, ...]


class AdmissionCandidate(NamedTuple):
    """Of a seed or a neighbour on a place. Seeds come before neighbours who stand no better."""

    below: float
    is_neighbour: bool
    turn: int
    node: str
    expansion: Expansion | None


def admit_reserved(
    seeds: Seeds, first: tuple[str, ...], found: tuple[Expansion, ...], documents: int
) -> Admission:
    """The first seeds, then neighbours while there is room, then further seeds in free places."""
    roots = {document_of(seed) for seed in first}
    admitted = found[: documents - len(roots)]
    expanded = tuple(expansion.document_id for expansion in admitted)
    taken = roots.union(expanded)
    others = [root for root in dict.fromkeys(map(document_of, seeds.ids)) if root not in taken]
    further = frozenset(others[: documents - len(taken)])
    kept = tuple(seed for seed in seeds.ids if document_of(seed) in roots | further)
    turn = next((at for at, seed in enumerate(kept) if document_of(seed) in further), len(kept))
    return Admission(kept, admitted, kept[:turn] + expanded + kept[turn:])


def admit_competitive(
    seeds: tuple[str, ...],
    own: Mapping[str, float],
    raised: Mapping[str, PropagatedScore],
    documents: int,
) -> Admission:
    """All by how they stand, as many documents as there is room for. Seeds keep their order.

    A seed that an edge lifts stands where the edge lifts it to.
    """
    taken: dict[str, bool] = {}
    kept: list[AdmissionCandidate] = []
    for claim in sorted((*_of_seeds(seeds, own), *_of_neighbours(raised)), key=lambda c: c[:3]):
        root = document_of(claim.node)
        if root not in taken and len(taken) < documents:
            taken[root] = claim.is_neighbour
        if taken.get(root) == claim.is_neighbour:
            kept.append(claim)
    return Admission(
        tuple(claim.node for claim in kept if not claim.is_neighbour),
        tuple(claim.expansion for claim in kept if claim.expansion is not None),
        tuple(claim.node for claim in kept),
    )


def _of_seeds(seeds: tuple[str, ...], own: Mapping[str, float]) -> list[AdmissionCandidate]:
    """Who was put first, for a name it defines, stands no lower than the next."""
    claims: list[AdmissionCandidate] = []
    below = 0.0
    for turn, seed in reversed(tuple(enumerate(seeds))):
        standing = -own[document_of(seed)]
        below = min(standing, below) if claims else standing
        claims.append(AdmissionCandidate(below, False, turn, seed, None))
    return claims


def _of_neighbours(raised: Mapping[str, PropagatedScore]) -> list[AdmissionCandidate]:
    return [
        AdmissionCandidate(-one.score, True, turn, root, one.expansion)
        for turn, (root, one) in enumerate(raised.items())
    ]
