"""fetch_evidence: the best passages of planned nodes, limited per document and in all."""

from typing import Annotated

from annotated_types import Interval

from docgraph.contract import action
from docgraph.execute.nothing import why_empty
from docgraph.model.evidence import Decision, NodeEvidence, PassageScore, RetrievedContext
from docgraph.model.plan import RetrievalPlan
from docgraph.ports.text_reads import TextReads


@action()
def fetch_evidence(
    plan: RetrievalPlan,
    window: TextReads,
    *,
    per_document: Annotated[int, Interval(ge=1, le=1000)] = 5,
    in_all: Annotated[int, Interval(ge=1, le=10000)] = 30,
) -> RetrievedContext:
    """In the plan's order; within a node by similarity, then position.

    When `in_all` is short, every node's best passage comes before any node's second.
    """
    concepts = window.concepts(plan.order)
    ranked, seen = {}, set[str]()
    for concept in concepts:
        scores = [score for score in window.scores(concept.id) if score.id not in seen]
        seen.update(score.id for score in scores)
        ranked[concept.id] = sorted(scores, key=_closest)
    chosen = _share({node: scores[:per_document] for node, scores in ranked.items()}, in_all)
    nodes = tuple(
        NodeEvidence(
            concept=concept,
            rule=plan.rule_for(concept.id),
            passages=window.passages(chosen[concept.id]),
            cut=len(ranked[concept.id]) - len(chosen[concept.id]),
        )
        for concept in concepts
    )
    return RetrievedContext(
        question=plan.question,
        nodes=nodes,
        decisions=_missing(plan, frozenset(ranked)),
        reason=why_empty(plan, nodes),
    )


def _closest(score: PassageScore) -> tuple[int, int]:
    return (-(score.similarity or 0), score.position)


def _share(
    ranked: dict[str, list[PassageScore]], in_all: int
) -> dict[str, tuple[PassageScore, ...]]:
    chosen: dict[str, list[PassageScore]] = {node: [] for node in ranked}
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


def _missing(plan: RetrievalPlan, visible: frozenset[str]) -> tuple[Decision, ...]:
    """Forbidden, deleted and never there read alike."""
    return tuple(
        Decision(node, False, "nothing visible under this id")
        for node in plan.order
        if node not in visible
    )
