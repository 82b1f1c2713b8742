"""Admission: which documents a plan contains, and in which order."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from docgraph.model.edge import SHARES_ENTITY
from docgraph.model.node import document_of
from docgraph.model.plan import Expansion
from docgraph.model.question import Question
from docgraph.model.seeds import Seeds, normalised_cosine
from docgraph.model.vector import cosine
from docgraph.plan.resolved_edges import ResolvedEdge
from docgraph.ports.search_reads import SearchReads, similarity_of

# Score propagation: a neighbour's score is raised towards the score of the seed it is linked to.


DIGITS = 12
MIN_DAMPING = 2  # a neighbour's score rises by half of the difference to its seed's at most
REFERENCE_WEIGHT = 0.5
SHARED_NAME_WEIGHT = 0.2

Propagation = Callable[[float, float, str, int], float]


class PropagatedScore(NamedTuple):
    score: float
    expansion: Expansion


def damped_score(own: float, seed: float, _relation: str, fan_out: int) -> float:
    """The mean of both scores; less where the seed links to many documents by this relation."""
    return own + (seed - own) / max(MIN_DAMPING, math.sqrt(fan_out))


def relation_weighted_score(own: float, seed: float, relation: str, _fan_out: int) -> float:
    """A share of the seed's score on top, by type of relation."""
    return own + (SHARED_NAME_WEIGHT if relation == SHARES_ENTITY else REFERENCE_WEIGHT) * seed


def propagate_scores(
    first: tuple[str, ...],
    edges: Iterable[ResolvedEdge],
    own: Mapping[str, float],
    propagate: Propagation,
) -> dict[str, PropagatedScore]:
    """Documents one edge away, best first, each by the edge that gives the highest score.

    `edges` leave the seeds, in the order of seed and first mention; of edges with equal scores
    the first counts. No score decreases.
    """
    roots = {document_of(seed) for seed in first}
    reached: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    with_source = [(edge.edge, document_of(edge.edge.source)) for edge in edges]
    for edge, source in with_source:
        reached[source, edge.relation].add(document_of(edge.target))
    best: dict[str, PropagatedScore] = {}
    for edge, source in with_source:
        root = document_of(edge.target)
        if root in roots:
            continue
        fan_out = len(reached[source, edge.relation])
        raised = propagate(own[root], own[source], edge.relation, fan_out)
        score = round(max(own[root], raised), DIGITS)
        if root not in best or score > best[root].score:
            expansion = Expansion(root, edge.relation, edge.source, edge.target, 1)
            best[root] = PropagatedScore(score, expansion)
    return dict(sorted(best.items(), key=lambda item: (-item[1].score, item[0])))


def document_scores(
    seeds: Seeds, nodes: Iterable[str], question: Question, search: SearchReads
) -> dict[str, float]:
    """Scores of documents: candidates as search scored them, others on the same scale.

    A document whose parts are seeds has the best of their scores.
    """
    scores = dict(seeds.candidates.scores)
    for seed in seeds.ranked:
        root = document_of(seed.id)
        scores[root] = max(seed.score, scores.get(root, seed.score))
    missing = tuple(dict.fromkeys(node for node in nodes if node not in scores))
    baseline = seeds.candidates.baseline
    if baseline is None or not question.vector:
        return scores | dict.fromkeys(missing, 0.0)
    by_chunk = seeds.candidates.by_chunk
    similarities = similarity_of(question.vector, missing, search, by_chunk=by_chunk, roll_up=True)
    # Without a vector, a document is as good as the median of the candidates.
    cosines = {node: cosine(similarities[node]) for node in missing if node in similarities}
    near = {node: normalised_cosine(one, baseline) for node, one in cosines.items()}
    return scores | dict.fromkeys(missing, 0.0) | near


class Admission(NamedTuple):
    seeds: tuple[str, ...]
    expanded: tuple[Expansion, ...]
    order: tuple[str, ...]


class AdmissionCandidate(NamedTuple):
    """A seed or a neighbour; with equal scores, seeds come before neighbours."""

    negated_score: float
    is_neighbour: bool
    position: int
    node: str
    expansion: Expansion | None


def admit_reserved(
    seeds: Seeds, first: tuple[str, ...], expansions: tuple[Expansion, ...], documents: int
) -> Admission:
    """The first seeds, then neighbours up to the limit, then further seeds up to the limit."""
    roots = {document_of(seed) for seed in first}
    admitted = expansions[: documents - len(roots)]
    expanded = tuple(expansion.document_id for expansion in admitted)
    planned = roots.union(expanded)
    others = [root for root in dict.fromkeys(map(document_of, seeds.ids)) if root not in planned]
    further = frozenset(others[: documents - len(planned)])
    selected = tuple(seed for seed in seeds.ids if document_of(seed) in roots | further)
    start = (at for at, seed in enumerate(selected) if document_of(seed) in further)
    split = next(start, len(selected))
    return Admission(selected, admitted, selected[:split] + expanded + selected[split:])


def admit_competitive(
    seeds: tuple[str, ...],
    own: Mapping[str, float],
    propagated: Mapping[str, PropagatedScore],
    documents: int,
) -> Admission:
    """Seeds and neighbours by score, up to the limit of documents. Seeds keep their order.

    A seed whose score an edge raises competes with the raised score.
    """
    as_neighbour: dict[str, bool] = {}
    admitted: list[AdmissionCandidate] = []
    candidates = (*_seed_candidates(seeds, own), *_neighbour_candidates(propagated))
    for one in sorted(candidates, key=lambda candidate: candidate[:3]):
        root = document_of(one.node)
        if root not in as_neighbour and len(as_neighbour) < documents:
            as_neighbour[root] = one.is_neighbour
        if as_neighbour.get(root) == one.is_neighbour:
            admitted.append(one)
    return Admission(
        tuple(one.node for one in admitted if not one.is_neighbour),
        tuple(one.expansion for one in admitted if one.expansion is not None),
        tuple(one.node for one in admitted),
    )


def _seed_candidates(seeds: tuple[str, ...], own: Mapping[str, float]) -> list[AdmissionCandidate]:
    """A seed that was put first because it defines a name ranks no lower than the next."""
    candidates: list[AdmissionCandidate] = []
    negated = math.inf
    for position, seed in reversed(tuple(enumerate(seeds))):
        negated = min(-own[document_of(seed)], negated)
        candidates.append(AdmissionCandidate(negated, False, position, seed, None))
    return candidates


def _neighbour_candidates(propagated: Mapping[str, PropagatedScore]) -> list[AdmissionCandidate]:
    return [
        AdmissionCandidate(-one.score, True, position, root, one.expansion)
        for position, (root, one) in enumerate(propagated.items())
    ]
