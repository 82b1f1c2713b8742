"""Saying why there is no evidence."""

from docgraph.model.evidence import Decision, NodeEvidence
from docgraph.model.plan import RetrievalPlan


def absent(node: str) -> Decision:
    """Forbidden, deleted and never there read alike."""
    return Decision(node, False, "nothing visible under this id")


def why_empty(
    plan: RetrievalPlan, nodes: tuple[NodeEvidence, ...], decisions: tuple[Decision, ...]
) -> str:
    """Empty when there is something to show."""
    if any(node.passages for node in nodes):
        return ""
    if not plan.order:
        return "nothing visible matches"
    if all(absent(node) in decisions for node in plan.order):
        return "nothing visible is left of this plan"
    return "nothing visible of this plan has a text that fits"
