"""Levers: options that may let a node in, each with the values to try."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from docgraph.execute.fetch_node_texts import MAX_CHARS
from docgraph.model.explanation import Stage, Value
from docgraph.model.seeds import Seeds
from docgraph.pipeline.pipeline import Step
from docgraph.pipeline.why_not.stages import ASSEMBLE, SEARCH, WHOLE_TEXTS, highest
from docgraph.pipeline.why_not.step_outcomes import SCOPE, assembled, rank_of, read
from docgraph.pipeline.why_not.target import NEIGHBOURS, TREE, Target, untaken_edges
from docgraph.pipeline.why_not.trials import TrialRun, TrialRunner

ON, OFF = "on", "off"
_MODES = ("hybrid", "semantic", "bm25")


@dataclass(frozen=True, slots=True)
class Tunable:
    """`probes` are tried in turn. Where it `counts`, so are the numbers in between."""

    action: str
    option: str
    old: Value
    probes: tuple[Value, ...]
    counts: bool = False
    floor: int = 0
    most: int = 0


def tunable(
    name: tuple[str, str], tried: TrialRun, sought: Target, trials: TrialRunner
) -> Tunable | None:
    """The lever of that name, if this run has it and it can be moved."""
    action, option = name
    found = tried.at(action)
    if found is None:
        return None
    step = found[0]
    old = step.options[option] if option else ON
    if option in ("relations", "mode", "direction", "cluster", "kind", "repository", ""):
        return Tunable(action, option, old, tuple(_words(option, old, tried, sought)))
    floor = _floor(step, option)
    if floor is None:
        return None
    most = highest(step.action, option)
    first = _first_step(name, floor, tried, sought, trials)
    probes = _further(floor, max(first, 1), most)
    return Tunable(action, option, old, tuple(probes), True, floor, most)


def _first_step(
    name: tuple[str, str], floor: int, tried: TrialRun, sought: Target, trials: TrialRunner
) -> int:
    """As much as seems to be missing; the tries tell."""
    action, option = name
    if option == "top":
        below = rank_of(tried, sought, trials)
        return below[0] - floor if below else floor
    if option == "pool":
        return floor
    stand = {ASSEMBLE: assembled, WHOLE_TEXTS: read}.get(action)
    return int(dict(stand(tried, sought).numbers).get("missing", 1)) if stand else 1


def _floor(step: Step, option: str) -> int | None:
    """The number in force; None where another option holds it, or there is no limit."""
    number: int | None = step.options[option]
    if step.action.name == WHOLE_TEXTS and number is None:
        unset = option == "max_chars" and step.options["max_tokens"] is None
        return MAX_CHARS if unset else None
    return number or None


def _further(floor: int, step: int, most: int) -> Iterator[int]:
    """Each step is twice as long as the one before."""
    while floor + step < most:
        yield floor + step
        step *= 2
    if floor < most:
        yield most


def _words(option: str, old: Value, tried: TrialRun, sought: Target) -> Iterator[Value]:
    if option == "relations" and isinstance(old, tuple):
        barred = {
            road.edge.relation for road in untaken_edges(tried, sought) if road.option == option
        }
        yield from ((*old, relation) for relation in sorted(barred))
        yield None
    elif option == "mode":
        yield from (mode for mode in _MODES if mode != old)
    elif option == "direction":
        yield from (way for way in ("both",) if way != old)
    elif option == "cluster" and old:
        yield from dict.fromkeys((*_share(tried, sought), 0.0))
    elif option in ("kind", "repository") and old:
        yield False
    elif not option:
        yield OFF


def _share(tried: TrialRun, sought: Target) -> Iterator[float]:
    """Its part of the best score, rounded down, so that it would just stay."""
    found = tried.at(SEARCH)
    seeds: Seeds = found[1] if found else tried.get(Seeds)
    scores = dict(zip(seeds.ids, (seed.score for seed in seeds.ranked), strict=True))
    best = max(scores.values(), default=0.0)
    for node in sought.among(seeds.ids)[:1]:
        if 0 < scores[node] < best:
            yield math.floor(scores[node] / best * 1000) / 1000


# Tiers: in which order levers are tried, nearest to where a node fell out first.


Tier = tuple[tuple[str, str], ...]

# Of the levers in one tier the smallest step counts; the first tier that helps is taken.
_SEARCH: tuple[Tier, ...] = (((SEARCH, "pool"),), ((SEARCH, "top"),))
_RANK: tuple[Tier, ...] = (((SEARCH, "top"),), ((SEARCH, "per_document"),))
_SCOPE: tuple[Tier, ...] = (
    *(((SCOPE, "cluster"),), ((SCOPE, "kind"),), ((SCOPE, "repository"),), ((SCOPE, ""),)),
)
_RELATION: tuple[Tier, ...] = (
    ((NEIGHBOURS, "relations"), (TREE, "relations")),
    ((NEIGHBOURS, "seed_places"), (TREE, "max_depth")),
    ((TREE, "direction"),),
)
_CAP: tuple[Tier, ...] = (
    ((NEIGHBOURS, "documents"), (NEIGHBOURS, "seed_places"), (TREE, "max_nodes")),
)
_FETCH: tuple[Tier, ...] = (
    (("fetch_evidence", "per_document"), ("fetch_evidence", "in_all")),
    ((WHOLE_TEXTS, "max_chars"), (WHOLE_TEXTS, "max_tokens")),
)
_BUDGET: tuple[Tier, ...] = (((ASSEMBLE, "max_tokens"),),)
_MODE: tuple[Tier, ...] = (((SEARCH, "mode"),),)
_BEFORE_A_PLAN = (*_RANK, *_SCOPE, *_RELATION, *_CAP, *_SEARCH, *_MODE)
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
    """Levers of the very step at which it fell out."""
    return _OWN.get(stage, ())


def all_tiers(stage: Stage) -> tuple[Tier, ...]:
    """Those first, then all of earlier steps: a later step cannot bring back what never came."""
    others = {"fetch": _BEFORE_A_PLAN, "budget": (*_FETCH, *_BEFORE_A_PLAN)}
    return tuple(dict.fromkeys((*own_tiers(stage), *others.get(stage, _BEFORE_A_PLAN))))
