"""fetch_evidence: the best passages of planned nodes, limited per document and in all."""

from collections import defaultdict
from typing import Annotated

from annotated_types import Interval

from docgraph.action import action
from docgraph.model.evidence import (
    ChunkScore,
    Concept,
    NodeEvidence,
    RetrievedContext,
    not_visible,
    why_empty,
)
from docgraph.model.plan import RetrievalPlan
from docgraph.ports.text_reads import TextReads

Ranked = dict[str, list[ChunkScore]]


@action()
def fetch_evidence(
    plan: RetrievalPlan,
    window: TextReads,
    *,
    per_document: Annotated[int, Interval(ge=1, le=1000)] = 5,
    in_all: Annotated[int, Interval(ge=1, le=10000)] = 30,
) -> RetrievedContext:
    """In the plan's order; within a node by similarity, then position.

    Sections and symbols share their document's limit. When `in_all` is short, every node's best
    passage comes before any node's second.
    """
    concepts = window.concepts(plan.order)
    ranked: Ranked = {}
    seen: set[str] = set()
    for concept in concepts:
        scores = [score for score in window.chunk_scores(concept.id) if score.id not in seen]
        seen.update(score.id for score in scores)
        ranked[concept.id] = sorted(scores, key=_closest)
    chosen = _share(_limited(concepts, ranked, per_document), in_all)
    nodes = tuple(
        NodeEvidence(
            concept=concept,
            rule=plan.rule_for(concept.id),
            passages=window.chunks(chosen[concept.id]),
            cut=len(ranked[concept.id]) - len(chosen[concept.id]),
        )
        for concept in concepts
    )
    missing = tuple(not_visible(node) for node in plan.order if node not in ranked)
    return RetrievedContext(plan.question, nodes, missing, why_empty(plan, nodes, missing))


def _closest(score: ChunkScore) -> tuple[int, int]:
    return (-(score.similarity or 0), score.position)


def _limited(concepts: tuple[Concept, ...], ranked: Ranked, per_document: int) -> Ranked:
    """The closest passages of each document, whichever of its planned nodes they lie in."""
    whole: defaultdict[str, list[ChunkScore]] = defaultdict(list)
    for concept in concepts:
        whole[concept.document] += ranked[concept.id]
    kept = {
        score.id
        for scores in whole.values()
        for score in sorted(scores, key=_closest)[:per_document]
    }
    return {
        node: [score for score in scores if score.id in kept] for node, scores in ranked.items()
    }


def _share(ranked: Ranked, in_all: int) -> dict[str, tuple[ChunkScore, ...]]:
    chosen: dict[str, list[ChunkScore]] = {node: [] for node in ranked}
    rounds = max((len(scores) for scores in ranked.values()), default=0)
    turns = [
        (node, scores[turn])
        for turn in range(rounds)
        for node, scores in ranked.items()
        if turn < len(scores)
    ]
    for node, score in turns[:in_all]:
        chosen[node].append(score)
    return {node: tuple(scores) for node, scores in chosen.items()}
