"""fetch_node_texts: full texts of planned nodes, within a budget of characters or tokens."""

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
DEFAULT_MAX_CHARS = 60_000


def check_single_budget(options: Mapping[str, object]) -> str | None:
    if options.get("max_chars") is not None and options.get("max_tokens") is not None:
        return "max_chars and max_tokens exclude each other; set one of them to null"
    return None


@action(options=(check_single_budget,))
def fetch_node_texts(
    plan: RetrievalPlan,
    reads: TextReads,
    tokens: TokenCounter,
    *,
    order: Order = "seed_first",
    max_chars: Budget | None = None,
    max_tokens: Budget | None = None,
) -> RetrievedContext:
    """A text that does not fit is skipped, and smaller ones after it may still fit.

    Without either budget, `max_chars` is 60,000.
    """
    unit = "characters" if max_tokens is None else "tokens"
    left = max_tokens or max_chars or DEFAULT_MAX_CHARS
    included: list[NodeEvidence] = []
    decisions: list[Decision] = []
    for node in order_nodes(plan, order):
        texts = reads.full_texts((node,))
        if not texts:
            decisions.append(not_visible(node))
            continue
        container = _find_container(texts[0], included)
        if container:
            decisions.append(Decision(node, False, f"already inside {container}"))
            continue
        size = len(texts[0].text) if max_tokens is None else tokens.count(texts[0].text)
        if size > left:
            decisions.append(Decision(node, False, f"{size} {unit}, {left} left"))
            continue
        left -= size
        decisions.append(Decision(node, True, f"{size} {unit}, {left} left"))
        concept = reads.concepts((node,))[0]
        included.append(NodeEvidence(document_of(node), concept, plan.rule_for(node), texts, 0))
    nodes, all_decisions = tuple(included), tuple(decisions)
    reason = why_empty(plan, nodes, all_decisions)
    return RetrievedContext(plan.question, nodes, all_decisions, reason)


def order_nodes(plan: RetrievalPlan, order: Order) -> tuple[str, ...]:
    """Seeds before expanded nodes, after them, or alternating."""
    seeds = plan.seed_documents
    expanded = tuple(expansion.document_id for expansion in plan.expanded_documents)
    if order == "balanced":
        pairs = zip_longest(seeds, expanded)
        return tuple(node for pair in pairs for node in pair if node is not None)
    return seeds + expanded if order == "seed_first" else expanded + seeds


def _find_container(text: EvidenceChunk, included: list[NodeEvidence]) -> str | None:
    """The included node of the same file whose text contains this one."""
    for node in included:
        other = node.chunks[0].location
        if (
            node.document_id == document_of(text.node)
            and other.start <= text.location.start
            and text.location.end <= other.end
        ):
            return node.concept.id
    return None
