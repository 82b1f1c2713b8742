"""Tunable options: those whose change may include a node, each with the values to try."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from docgraph.execute.fetch_node_texts import DEFAULT_MAX_CHARS
from docgraph.model.explanation import Stage, Value
from docgraph.model.seeds import Seeds
from docgraph.pipeline.pipeline import Step
from docgraph.pipeline.why_not.stages import ASSEMBLE, SEARCH, WHOLE_TEXTS, max_option_value
from docgraph.pipeline.why_not.step_outcomes import SCOPE, assemble_outcome, fetch_outcome, rank_of
from docgraph.pipeline.why_not.target import NEIGHBOURS, TREE, Target, untaken_edges
from docgraph.pipeline.why_not.trials import TrialRun, TrialRunner

ON, OFF = "on", "off"
_MODES = ("hybrid", "semantic", "bm25")


@dataclass(frozen=True, slots=True)
class Tunable:
    """`probes` are tried in order; for a number, the numbers between them are tried, too."""

    action: str
    option: str
    old: Value
    probes: tuple[Value, ...]
    is_number: bool = False
    floor: int = 0
    maximum: int = 0


def tunable(
    name: tuple[str, str], trial: TrialRun, target: Target, runner: TrialRunner
) -> Tunable | None:
    """The option of that name, if this run has it and it can be changed."""
    action, option = name
    step_and_output = trial.step_of(action)
    if step_and_output is None:
        return None
    step = step_and_output[0]
    old = step.options[option] if option else ON
    if option in ("relations", "mode", "direction", "cluster", "kind", "repository", ""):
        return Tunable(action, option, old, tuple(_other_values(option, old, trial, target)))
    floor = _current_number(step, option)
    if floor is None:
        return None
    maximum = max_option_value(step.action, option)
    first = _first_increase(name, floor, trial, target, runner)
    probes = _doubling_probes(floor, max(first, 1), maximum)
    return Tunable(action, option, old, tuple(probes), True, floor, maximum)


def _first_increase(
    name: tuple[str, str], floor: int, trial: TrialRun, target: Target, runner: TrialRunner
) -> int:
    """An estimate of what is missing; trial runs decide."""
    action, option = name
    if option == "top":
        rank_and_score = rank_of(trial, target, runner)
        return rank_and_score[0] - floor if rank_and_score else floor
    if option == "pool":
        return floor
    outcome = {ASSEMBLE: assemble_outcome, WHOLE_TEXTS: fetch_outcome}.get(action)
    return int(dict(outcome(trial, target).numbers).get("missing", 1)) if outcome else 1


def _current_number(step: Step, option: str) -> int | None:
    """The number that applies; None if another option sets it, or there is no limit."""
    number: int | None = step.options[option]
    if step.action.name == WHOLE_TEXTS and number is None:
        unset = option == "max_chars" and step.options["max_tokens"] is None
        return DEFAULT_MAX_CHARS if unset else None
    return number or None


def _doubling_probes(floor: int, step: int, maximum: int) -> Iterator[int]:
    """Each step is twice as long as the one before."""
    while floor + step < maximum:
        yield floor + step
        step *= 2
    if floor < maximum:
        yield maximum


def _other_values(option: str, old: Value, trial: TrialRun, target: Target) -> Iterator[Value]:
    if option == "relations" and isinstance(old, tuple):
        excluded = {
            one.edge.relation for one in untaken_edges(trial, target) if one.option == option
        }
        yield from ((*old, relation) for relation in sorted(excluded))
        yield None
    elif option == "mode":
        yield from (mode for mode in _MODES if mode != old)
    elif option == "direction" and old != "both":
        yield "both"
    elif option == "cluster" and old:
        yield from dict.fromkeys((*_share_of_best(trial, target), 0.0))
    elif option in ("kind", "repository") and old:
        yield from (value for value in (True, False) if value != old)
    elif not option:
        yield OFF


def _share_of_best(trial: TrialRun, target: Target) -> Iterator[float]:
    """Its share of the best score, rounded down, so that it would just stay."""
    search = trial.step_of(SEARCH)
    seeds: Seeds = search[1] if search else trial.get(Seeds)
    scores = dict(zip(seeds.ids, (seed.score for seed in seeds.ranked), strict=True))
    best = max(scores.values(), default=0.0)
    for node in target.matching_ids(seeds.ids)[:1]:
        if 0 < scores[node] < best:
            yield math.floor(scores[node] / best * 1000) / 1000


# Tiers: the order in which options are tried, nearest to the excluding step first.


Tier = tuple[tuple[str, str], ...]

# Within a tier the smallest change wins; the first tier with a change that helps is used.
_SEARCH: tuple[Tier, ...] = (((SEARCH, "pool"),), ((SEARCH, "top"),))
_RANK: tuple[Tier, ...] = (((SEARCH, "top"),), ((SEARCH, "per_document"),))
_SCOPE: tuple[Tier, ...] = (
    *(((SCOPE, "cluster"),), ((SCOPE, "kind"),), ((SCOPE, "repository"),), ((SCOPE, ""),)),
)
_RELATION: tuple[Tier, ...] = (
    ((NEIGHBOURS, "relations"), (TREE, "relations")),
    ((NEIGHBOURS, "max_seed_documents"), (TREE, "max_depth")),
    ((TREE, "direction"),),
)
_CAP: tuple[Tier, ...] = (
    ((NEIGHBOURS, "max_documents"), (NEIGHBOURS, "max_seed_documents"), (TREE, "max_nodes")),
)
_FETCH: tuple[Tier, ...] = (
    (("fetch_evidence", "per_document"), ("fetch_evidence", "max_chunks")),
    ((WHOLE_TEXTS, "max_chars"), (WHOLE_TEXTS, "max_tokens")),
)
_BUDGET: tuple[Tier, ...] = (((ASSEMBLE, "max_tokens"),),)
_MODE: tuple[Tier, ...] = (((SEARCH, "mode"),),)
_BEFORE_PLAN = (*_RANK, *_SCOPE, *_RELATION, *_CAP, *_SEARCH, *_MODE)
_OWN: dict[Stage, tuple[Tier, ...]] = {
    "search": (*_SEARCH, *_MODE),
    "rank": (*_RANK, *_SEARCH, *_MODE),
    "scope": _SCOPE,
    "relation": _RELATION,
    "cap": _CAP,
    "fetch": _FETCH,
    "budget": _BUDGET,
}


def own_tiers(stage: Stage) -> tuple[Tier, ...]:
    """Options of the step that excluded the node."""
    return _OWN.get(stage, ())


def all_tiers(stage: Stage) -> tuple[Tier, ...]:
    """Those first, then the options of earlier steps: a later step cannot add the node."""
    others = {"fetch": _BEFORE_PLAN, "budget": (*_FETCH, *_BEFORE_PLAN)}
    return tuple(dict.fromkeys((*own_tiers(stage), *others.get(stage, _BEFORE_PLAN))))
