"""fetch_node_texts: whole texts of planned nodes, under a budget of characters or tokens."""

from collections.abc import Mapping
from itertools import zip_longest
from typing import Annotated, Literal

from annotated_types import Interval

from docgraph.action import action
from docgraph.model.context import TokenCounter
from docgraph.model.evidence import (
    Decision,
    EvidenceChunk,
    NodeEvidence,
    RetrievedContext,
    not_visible,
    why_empty,
)
from docgraph.model.node import document_of
from docgraph.model.plan import RetrievalPlan
from docgraph.ports.text_reads import TextReads

Order = Literal["seed_first", "graph_first", "balanced"]
Budget = Annotated[int, Interval(ge=1, le=10_000_000)]
MAX_CHARS = 60_000


def one_budget(options: Mapping[str, object]) -> str | None:
    if options.get("max_chars") is not None and options.get("max_tokens") is not None:
        return "max_chars and max_tokens exclude each other; set one of them to null"
    return None


@action(options=(one_budget,))
def fetch_node_texts(
    plan: RetrievalPlan,
    window: TextReads,
    tokens: TokenCounter,
    *,
    order: Order = "seed_first",
    max_chars: Budget | None = None,
    max_tokens: Budget | None = None,
) -> RetrievedContext:
    """What does not fit is skipped whole, and smaller later ones may still enter.

    Without either budget, `max_chars` is 60,000.
    """
    unit = "characters" if max_tokens is None else "tokens"
    left = max_tokens or max_chars or MAX_CHARS
    entered: list[NodeEvidence] = []
    decisions: list[Decision] = []
    for node in arranged(plan, order):
        texts = window.full_texts((node,))
        if not texts:
            decisions.append(not_visible(node))
            continue
        holder = _holder(texts[0], entered)
        if holder:
            decisions.append(Decision(node, False, f"already inside {holder}"))
            continue
        size = len(texts[0].text) if max_tokens is None else tokens.count(texts[0].text)
        if size > left:
            decisions.append(Decision(node, False, f"{size} {unit}, {left} left"))
            continue
        left -= size
        decisions.append(Decision(node, True, f"{size} {unit}, {left} left"))
        concept = window.concepts((node,))[0]
        entered.append(NodeEvidence(concept, plan.rule_for(node), texts, cut=0))
    nodes, told = tuple(entered), tuple(decisions)
    return RetrievedContext(plan.question, nodes, told, why_empty(plan, nodes, told))


def arranged(plan: RetrievalPlan, order: Order) -> tuple[str, ...]:
    """Seeds before what they led to, after it, or by turns."""
    seeds = plan.seed_documents
    graph = tuple(expansion.document_id for expansion in plan.expanded_documents)
    if order == "balanced":
        turns = zip_longest(seeds, graph)
        return tuple(node for turn in turns for node in turn if node is not None)
    return seeds + graph if order == "seed_first" else graph + seeds


def _holder(text: EvidenceChunk, entered: list[NodeEvidence]) -> str | None:
    """The entered node of the same file whose text already holds this one."""
    for node in entered:
        other = node.passages[0].location
        if (
            node.concept.document == document_of(text.node)
            and other.start <= text.location.start
            and text.location.end <= other.end
        ):
            return node.concept.id
    return None
