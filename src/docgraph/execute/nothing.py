"""Saying why there is no evidence."""

from docgraph.model.evidence import NodeEvidence
from docgraph.model.plan import RetrievalPlan


def why_empty(plan: RetrievalPlan, nodes: tuple[NodeEvidence, ...]) -> str:
    """Empty when there is something to show."""
    if any(node.passages for node in nodes):
        return ""
    if not plan.order:
        return "nothing visible matches"
    return "nothing visible is left of this plan"
