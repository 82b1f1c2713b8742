"""At which stage a node fell out of one run."""

import re
import typing

from annotated_types import Interval

from docgraph.action import Action
from docgraph.assemble.assemble_context import CONCEPT_SHARE
from docgraph.model.context import Context, ContextItem
from docgraph.model.evidence import EvidenceChunk, RetrievedContext
from docgraph.model.explanation import Stage
from docgraph.model.node import document_of
from docgraph.model.plan import RetrievalPlan
from docgraph.model.seeds import Seeds
from docgraph.pipeline.why_not.target import Target, untaken_edges
from docgraph.pipeline.why_not.trials import TrialRun

SEARCH = "search_nodes"


def stage_of(tried: TrialRun, sought: Target) -> Stage:
    """The last stage that saw it and did not hand it on."""
    if shown(tried, sought):
        return "there"
    if fetched(tried, sought):
        return "budget"
    if sought.among(tried.get(RetrievalPlan).order):
        return "fetch"
    return _before_a_plan(tried, sought)


def _before_a_plan(tried: TrialRun, sought: Target) -> Stage:
    if sought.among(cut.document_id for cut in tried.get(RetrievalPlan).cut):
        return "cap"
    found = tried.at(SEARCH)
    if found is None or untaken_edges(tried, sought):
        return "relation"
    seeds: Seeds = found[1]
    if sought.among(seeds.ids):
        return "cap" if sought.among(tried.get(Seeds).ids) else "scope"
    return "rank" if sought.among(node for node, _ in seeds.standing.scores) else "search"


def shown(tried: TrialRun, sought: Target) -> tuple[ContextItem, ...]:
    """Its evidence in the context. A summary alone does not count: it proves nothing."""
    return tuple(
        item
        for item in tried.get(Context).items
        if item.number and sought.meets(item.document, item.location)
    )


def fetched(tried: TrialRun, sought: Target) -> tuple[EvidenceChunk, ...]:
    return tuple(
        passage
        for node in tried.get(RetrievedContext).nodes
        for passage in node.passages
        if sought.meets(document_of(passage.node), passage.location)
    )


# The highest number that an option takes, as its own type says.


def highest(action: Action, option: str) -> int:
    found = action.option(option)
    assert found is not None
    return next(_tops(found.annotation))


def _tops(annotation: object) -> typing.Iterator[int]:
    for part in typing.get_args(annotation):
        if isinstance(part, Interval):
            assert isinstance(part.le, int)
            yield part.le
        else:
            yield from _tops(part)


# The next budget that lets something else in: between two of them nothing changes.


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


def next_budget(tried: TrialRun, action: str, budget: int) -> int | None:
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
