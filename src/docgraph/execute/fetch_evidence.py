"""fetch_evidence: the best chunks of planned nodes, limited per document and in total."""

from collections import defaultdict
from operator import attrgetter
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
from docgraph.model.node import document_of
from docgraph.model.plan import RetrievalPlan
from docgraph.ports.text_reads import TextReads

Ranked = dict[str, list[ChunkScore]]


@action()
def fetch_evidence(
    plan: RetrievalPlan,
    reads: TextReads,
    *,
    per_document: Annotated[int, Interval(ge=1, le=1000)] = 5,
    max_chunks: Annotated[int, Interval(ge=1, le=10000)] = 30,
) -> RetrievedContext:
    """In the plan's order; within a node by similarity, or by BM25 before it is embedded, then by
    position.

    Sections and symbols share their document's limit. Where `max_chunks` is too small for all,
    every node's best chunk comes before any node's second.
    """
    concepts = reads.concepts(plan.order)
    ranked: Ranked = {}
    seen: set[str] = set()
    for concept in concepts:
        scores = [score for score in reads.chunk_scores(concept.id) if score.id not in seen]
        seen.update(score.id for score in scores)
        ranked[concept.id] = sorted(scores, key=attrgetter("order"))
    selected = _limit_total(_limit_per_document(concepts, ranked, per_document), max_chunks)
    nodes = tuple(
        NodeEvidence(
            document_id=document_of(concept.id),
            concept=concept,
            rule=plan.rule_for(concept.id),
            chunks=reads.chunks(selected[concept.id]),
            cut=len(ranked[concept.id]) - len(selected[concept.id]),
        )
        for concept in concepts
    )
    missing = tuple(not_visible(node) for node in plan.order if node not in ranked)
    return RetrievedContext(plan.question, nodes, missing, why_empty(plan, nodes, missing))


def _limit_per_document(concepts: tuple[Concept, ...], ranked: Ranked, limit: int) -> Ranked:
    """The most similar chunks of each document, from all of its planned nodes."""
    by_document: defaultdict[str, list[ChunkScore]] = defaultdict(list)
    for concept in concepts:
        by_document[document_of(concept.id)] += ranked[concept.id]
    selected = {
        score.id
        for scores in by_document.values()
        for score in sorted(scores, key=attrgetter("order"))[:limit]
    }
    return {
        node: [score for score in scores if score.id in selected] for node, scores in ranked.items()
    }


def _limit_total(ranked: Ranked, limit: int) -> dict[str, tuple[ChunkScore, ...]]:
    """Every node's best chunk first, then every node's second, and so on."""
    selected: dict[str, list[ChunkScore]] = {node: [] for node in ranked}
    rounds = max((len(scores) for scores in ranked.values()), default=0)
    in_rounds = [
        (node, scores[position])
        for position in range(rounds)
        for node, scores in ranked.items()
        if position < len(scores)
    ]
    for node, score in in_rounds[:limit]:
        selected[node].append(score)
    return {node: tuple(scores) for node, scores in selected.items()}
