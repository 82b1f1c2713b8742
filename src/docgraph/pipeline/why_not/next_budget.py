"""The next budget that lets something else in: between two of them nothing changes."""

import re

from docgraph.assemble.choose import CONCEPT_SHARE
from docgraph.model.context import Context
from docgraph.model.evidence import RetrievedContext
from docgraph.pipeline.why_not.trials import Tried

ASSEMBLE, WHOLE_TEXTS = "assemble_context", "fetch_node_texts"
_PAGE = re.compile(r"the page took (\d+) of (\d+)")
_LEFT = re.compile(r"(\d+) \w+, (\d+) left")
_USED = re.compile(r"(\d+) tokens, (\d+) of (\d+) tokens( for concepts)?")


def missing(reason: str) -> int | None:
    """How much more budget that decision needed; None where it was not about the budget."""
    if told := _PAGE.match(reason):
        return int(told[1]) - int(told[2])
    if told := _LEFT.match(reason):
        return int(told[1]) - int(told[2])
    if told := _USED.match(reason):
        size, used, limit = map(int, told.groups()[:3])
        return size + used - limit
    return None


def next_budget(tried: Tried, action: str, budget: int) -> int | None:
    """None when nothing is left that a higher budget would let in."""
    if action == WHOLE_TEXTS:
        decisions = tried.get(RetrievedContext).decisions
        reasons = [one.reason for one in decisions if not one.entered]
        needed = [budget + (missing(reason) or 0) for reason in reasons]
    else:
        needed = [_needed_tokens(one.reason, budget) for one in tried.get(Context).omitted]
    return min((number for number in needed if number > budget), default=None)


def _needed_tokens(reason: str, budget: int) -> int:
    """Concepts have a share of the budget, rounded down."""
    told = _USED.match(reason)
    if told and told[4]:
        return (int(told[1]) + int(told[2])) * CONCEPT_SHARE
    return budget + (missing(reason) or 0)
