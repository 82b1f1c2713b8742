"""The stage at which one run excluded a node, and the budget that it would have needed."""

import re
import typing

from annotated_types import Interval

from docgraph.action import Action
from docgraph.assemble.assemble_context import CONCEPT_BUDGET_DIVISOR
from docgraph.model.context import Context, ContextItem
from docgraph.model.evidence import EvidenceChunk, RetrievedContext
from docgraph.model.explanation import Stage
from docgraph.model.node import document_of
from docgraph.model.plan import RetrievalPlan
from docgraph.model.seeds import Seeds
from docgraph.pipeline.why_not.target import Target, untaken_edges
from docgraph.pipeline.why_not.trials import TrialRun

SEARCH = "search_nodes"


def stage_of(trial: TrialRun, target: Target) -> Stage:
    """The last stage that had the node as input and excluded it."""
    if included_items(trial, target):
        return "included"
    if fetched_chunks(trial, target):
        return "budget"
    if target.matching_ids(trial.get(RetrievalPlan).order):
        return "fetch"
    return _stage_before_plan(trial, target)


def _stage_before_plan(trial: TrialRun, target: Target) -> Stage:
    if target.matching_ids(cut.document_id for cut in trial.get(RetrievalPlan).cut):
        return "cap"
    search = trial.step_of(SEARCH)
    if search is None or untaken_edges(trial, target):
        return "relation"
    seeds: Seeds = search[1]
    if target.matching_ids(seeds.ids):
        return "cap" if target.matching_ids(trial.get(Seeds).ids) else "scope"
    return "rank" if target.matching_ids(node for node, _ in seeds.candidates.scores) else "search"


def included_items(trial: TrialRun, target: Target) -> tuple[ContextItem, ...]:
    """Its evidence in the context; a summary alone does not count."""
    return tuple(
        item
        for item in trial.get(Context).chunks
        if target.overlaps(item.document_id, item.location)
    )


def fetched_chunks(trial: TrialRun, target: Target) -> tuple[EvidenceChunk, ...]:
    return tuple(
        chunk
        for node in trial.get(RetrievedContext).nodes
        for chunk in node.chunks
        if target.overlaps(document_of(chunk.node), chunk.location)
    )


def max_option_value(action: Action, option: str) -> int:
    """The upper bound in the option's type."""
    declared = action.option(option)
    assert declared is not None
    return next(_upper_bounds(declared.annotation))


def _upper_bounds(annotation: object) -> typing.Iterator[int]:
    for part in typing.get_args(annotation):
        if isinstance(part, Interval):
            assert isinstance(part.le, int)
            yield part.le
        else:
            yield from _upper_bounds(part)


# Budgets, as the reasons of omissions and decisions state them.


ASSEMBLE, WHOLE_TEXTS = "assemble_context", "fetch_node_texts"
_WHOLE_TEXT = re.compile(r"the text takes (\d+) of (\d+)")
_LEFT = re.compile(r"(\d+) \w+, (\d+) left")
_USED = re.compile(r"(\d+) tokens, (\d+) of (\d+) tokens( for concepts)?")


def missing_budget(reason: str) -> int | None:
    """How much more budget the item needed; None if the budget was not the reason."""
    if match := _WHOLE_TEXT.match(reason):
        return int(match[1]) - int(match[2])
    if match := _LEFT.match(reason):
        return int(match[1]) - int(match[2])
    if match := _USED.match(reason):
        size, used, limit = map(int, match.groups()[:3])
        return size + used - limit
    return None


def next_budget(trial: TrialRun, action: str, budget: int) -> int | None:
    """The next higher budget that includes something else; None if there is none."""
    if action == WHOLE_TEXTS:
        decisions = trial.get(RetrievedContext).decisions
        reasons = [one.reason for one in decisions if not one.entered]
        needed = [budget + (missing_budget(reason) or 0) for reason in reasons]
    else:
        needed = [_needed_tokens(one.reason, budget) for one in trial.get(Context).omitted]
    return min((number for number in needed if number > budget), default=None)


def _needed_tokens(reason: str, budget: int) -> int:
    """Concepts may use only a share of the budget, rounded down."""
    match = _USED.match(reason)
    if match and match[4]:
        return (int(match[1]) + int(match[2])) * CONCEPT_BUDGET_DIVISOR
    return budget + (missing_budget(reason) or 0)
