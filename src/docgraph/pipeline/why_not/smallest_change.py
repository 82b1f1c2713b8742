"""The smallest change of options that includes a node; every reported change was run."""

from collections.abc import Callable
from dataclasses import replace

from docgraph.model.explanation import STAGES, OptionChange, Stage, Value
from docgraph.pipeline.why_not.stages import (
    ASSEMBLE,
    WHOLE_TEXTS,
    included_items,
    next_budget,
    stage_of,
)
from docgraph.pipeline.why_not.target import Target
from docgraph.pipeline.why_not.trials import SEEDS, TrialRunner
from docgraph.pipeline.why_not.tunables import Tier, Tunable, all_tiers, own_tiers, tunable

MAX_PROBES = 8
MAX_BUDGET_STEPS = 100

Changes = tuple[OptionChange, ...]
Passes = Callable[[Changes], bool]


def smallest_value(
    before: Changes, tuned: Tunable, passes: Passes, runner: TrialRunner
) -> Changes | None:
    """The smallest value that passes; a run has shown that one less does not."""

    def changed(value: Value) -> Changes:
        return _with(before, OptionChange(tuned.action, tuned.option, tuned.old, value))

    if tuned.action in (ASSEMBLE, WHOLE_TEXTS):
        exact = _smallest_budget(tuned, changed, passes, runner)
        if exact:
            return exact
    for value in tuned.probes:
        if passes(changed(value)):
            if not tuned.is_number:
                return changed(value)
            assert isinstance(value, int)
            return changed(_smallest(tuned.floor, value, lambda number: passes(changed(number))))
    return None


def _smallest_budget(
    tuned: Tunable, changed: Callable[[Value], Changes], passes: Passes, runner: TrialRunner
) -> Changes | None:
    """The exact minimum, if it takes no more than MAX_BUDGET_STEPS."""
    budget = tuned.floor
    for _ in range(MAX_BUDGET_STEPS):
        trial = runner.run(changed(budget))
        higher = next_budget(trial, tuned.action, budget) if trial else None
        if higher is None or higher > tuned.maximum:
            return None
        budget = higher
        if passes(changed(budget)):
            return changed(budget)
    return None


def _smallest(low: int, high: int, passes: Callable[[int], bool]) -> int:
    """`low` does not pass and `high` does; nor does the number below the result.

    A higher limit may also exclude a node, so some numbers in between are tried first.
    """
    step = max(1, (high - low) // MAX_PROBES)
    for middle in range(low + step, high, step):
        if passes(middle):
            high = middle
            break
        low = middle
    middle = high - 1  # the estimate may be exact
    while high - low > 1:
        if passes(middle):
            high = middle
        else:
            low = middle
        middle = (low + high) // 2
    return high


def _with(changes: Changes, change: OptionChange) -> Changes:
    """A second change of an option replaces the first, and keeps its old value."""
    key = (change.action, change.option)
    same = [one for one in changes if (one.action, one.option) == key]
    rest = tuple(one for one in changes if one not in same)
    return (*rest, replace(change, old=same[0].old) if same else change)


MAX_CHANGES = 3


def smallest_change(
    stage: Stage, target: Target, runner: TrialRunner, seeds: tuple[str, ...]
) -> tuple[Changes, str]:
    """One change if one is enough; else several together; else the node as a seed."""
    changes, suggestion = _find_changes(stage, target, runner, seeds)
    return changes, f"{suggestion}; not all could be tried" if runner.exhausted else suggestion


def _find_changes(
    stage: Stage, target: Target, runner: TrialRunner, seeds: tuple[str, ...]
) -> tuple[Changes, str]:
    passes = _includes(target, runner)
    single = _first_change((), all_tiers(stage), passes, target, runner)
    if single:
        return single, "one change includes it"
    several = _step_by_step((), passes, target, runner)
    if several:
        return several, "no single change that was tried includes it; together these do"
    named = (OptionChange(SEEDS, "seed", seeds, (*seeds, target.node)),)
    if target.node not in seeds:
        as_seed = named if passes(named) else _step_by_step(named, passes, target, runner)
        if as_seed:
            also = " and this do" if as_seed[1:] else " does"
            suggestion = "no change of options that was tried includes it; naming it as a seed"
            return as_seed, suggestion + also
    return (), "nothing that was tried includes it"


def _includes(target: Target, runner: TrialRunner) -> Passes:
    """Whether the context then includes the target."""

    def passes(changes: Changes) -> bool:
        trial = runner.run(changes)
        return trial is not None and bool(included_items(trial, target))

    return passes


def _passes_stage(stage: Stage, target: Target, runner: TrialRunner) -> Passes:
    """Whether the target is excluded later than at this stage, or not at all."""

    def passes(changes: Changes) -> bool:
        trial = runner.run(changes)
        return trial is not None and STAGES.index(stage_of(trial, target)) > STAGES.index(stage)

    return passes


def _step_by_step(
    changes: Changes, includes: Passes, target: Target, runner: TrialRunner
) -> Changes:
    """Each change passes the stage that excludes the target with the ones before."""
    while len(changes) < MAX_CHANGES:
        trial = runner.run(changes)
        if trial is None:
            return ()
        stage = stage_of(trial, target)
        tiers = own_tiers(stage)
        complete = _first_change(changes, tiers, includes, target, runner)
        if complete:
            return _drop_unnecessary(complete, includes)
        passes = _passes_stage(stage, target, runner)
        changes = _first_change(changes, tiers, passes, target, runner)
        if not changes:
            return ()
    return ()


def _drop_unnecessary(changes: Changes, includes: Passes) -> Changes:
    for change in changes:
        rest = tuple(one for one in changes if one != change)
        if rest and includes(rest):
            return _drop_unnecessary(rest, includes)
    return changes


def _first_change(
    before: Changes, tiers: tuple[Tier, ...], passes: Passes, target: Target, runner: TrialRunner
) -> Changes:
    """With one more change: in the first tier that helps, the option that changes least."""
    trial = runner.run(before)
    for tier in tiers if trial else ():
        assert trial is not None
        candidates: list[tuple[int, int, Changes]] = []
        for position, name in enumerate(tier):
            tuned = tunable(name, trial, target, runner)
            changes = smallest_value(before, tuned, passes, runner) if tuned else None
            if tuned and changes:
                new = changes[-1].new
                increase = new - tuned.floor if isinstance(new, int) and tuned.is_number else 0
                candidates.append((increase, position, changes))
        if candidates:
            return min(candidates, key=lambda one: one[:2])[2]
    return ()
