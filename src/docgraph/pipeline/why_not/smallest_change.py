"""The smallest change that lets a node in: whatever is reported was run."""

from collections.abc import Callable
from dataclasses import replace

from docgraph.model.explanation import STAGES, OptionChange, Stage, Value
from docgraph.pipeline.why_not.stages import ASSEMBLE, WHOLE_TEXTS, next_budget, shown, stage_of
from docgraph.pipeline.why_not.target import Target
from docgraph.pipeline.why_not.trials import SEEDS, TrialRunner
from docgraph.pipeline.why_not.tunables import Tier, Tunable, all_tiers, own_tiers, tunable

# least: how little a lever has to be moved.


LOOKS = 8
MOST_STEPS = 100

Changes = tuple[OptionChange, ...]
Passes = Callable[[Changes], bool]


def smallest_value(
    before: Changes, found: Tunable, passes: Passes, trials: TrialRunner
) -> Changes | None:
    """The smallest value that passes: one less, by running, does not."""

    def changed(value: Value) -> Changes:
        return _with(before, OptionChange(found.action, found.option, found.old, value))

    if found.action in (ASSEMBLE, WHOLE_TEXTS):
        exact = _budget(found, changed, passes, trials)
        if exact:
            return exact
    for value in found.probes:
        if passes(changed(value)):
            if not found.counts:
                return changed(value)
            assert isinstance(value, int)
            return changed(_lowest(found.floor, value, lambda number: passes(changed(number))))
    return None


def _budget(
    found: Tunable, changed: Callable[[Value], Changes], passes: Passes, trials: TrialRunner
) -> Changes | None:
    """The very smallest, if it is not too many steps away."""
    budget = found.floor
    for _ in range(MOST_STEPS):
        tried = trials.run(changed(budget))
        higher = next_budget(tried, found.action, budget) if tried else None
        if higher is None or higher > found.most:
            return None
        budget = higher
        if passes(changed(budget)):
            return changed(budget)
    return None


def _lowest(low: int, high: int, passes: Callable[[int], bool]) -> int:
    """`low` does not pass and `high` does; nor does the number below the one that is given back.

    More room may also keep a node out, so some numbers in between are looked at first.
    """
    for middle in range(low + max(1, (high - low) // LOOKS), high, max(1, (high - low) // LOOKS)):
        if passes(middle):
            high = middle
            break
        low = middle
    middle = high - 1  # a guess may fit exactly
    while high - low > 1:
        if passes(middle):
            high = middle
        else:
            low = middle
        middle = (low + high) // 2
    return high


def _with(changes: Changes, change: OptionChange) -> Changes:
    """An option that is changed once more is changed once, from what it was at first."""
    key = (change.action, change.option)
    same = [one for one in changes if (one.action, one.option) == key]
    rest = tuple(one for one in changes if one not in same)
    return (*rest, replace(change, old=same[0].old) if same else change)


MOST_TOGETHER = 3


def smallest_change(
    stage: Stage, sought: Target, trials: TrialRunner, seeds: tuple[str, ...]
) -> tuple[Changes, str]:
    """One change of one option if any does it; else a few together; else it named as a seed."""
    found, words = _found(stage, sought, trials, seeds)
    return found, f"{words}; not all could be tried" if trials.used_up else words


def _found(
    stage: Stage, sought: Target, trials: TrialRunner, seeds: tuple[str, ...]
) -> tuple[Changes, str]:
    passes = _lets_in(sought, trials)
    one = _first((), all_tiers(stage), passes, sought, trials)
    if one:
        return one, "one change lets it in"
    several = _step_by_step((), passes, sought, trials)
    if several:
        return several, "no single change that was tried lets it in; together these do"
    named = (OptionChange(SEEDS, "seed", seeds, (*seeds, sought.node)),)
    if sought.node not in seeds:
        explicit = named if passes(named) else _step_by_step(named, passes, sought, trials)
        if explicit:
            also = " and this do" if explicit[1:] else " does"
            words = "no change of options that was tried lets it in; naming it as a seed"
            return explicit, words + also
    return (), "nothing that was tried lets it in"


def _lets_in(sought: Target, trials: TrialRunner) -> Passes:
    def passes(changes: Changes) -> bool:
        tried = trials.run(changes)
        return tried is not None and bool(shown(tried, sought))

    return passes


def _gets_on(stage: Stage, sought: Target, trials: TrialRunner) -> Passes:
    """Past this stage, whatever comes then."""

    def passes(changes: Changes) -> bool:
        tried = trials.run(changes)
        return tried is not None and STAGES.index(stage_of(tried, sought)) > STAGES.index(stage)

    return passes


def _step_by_step(
    changes: Changes, lets_in: Passes, sought: Target, trials: TrialRunner
) -> Changes:
    """Each change gets it past the stage where the ones before leave it; none is superfluous."""
    while len(changes) < MOST_TOGETHER:
        tried = trials.run(changes)
        if tried is None:
            return ()
        stage = stage_of(tried, sought)
        tiers = own_tiers(stage)
        last = _first(changes, tiers, lets_in, sought, trials)
        if last:
            return _necessary(last, lets_in)
        changes = _first(changes, tiers, _gets_on(stage, sought, trials), sought, trials)
        if not changes:
            return ()
    return ()


def _necessary(changes: Changes, lets_in: Passes) -> Changes:
    for change in changes:
        rest = tuple(one for one in changes if one != change)
        if rest and lets_in(rest):
            return _necessary(rest, lets_in)
    return changes


def _first(
    before: Changes, tiers: tuple[Tier, ...], passes: Passes, sought: Target, trials: TrialRunner
) -> Changes:
    """With one change more: of the first tier that helps, the lever that moves least."""
    tried = trials.run(before)
    for tier in tiers if tried else ():
        assert tried is not None
        moved: list[tuple[int, int, Changes]] = []
        for at, name in enumerate(tier):
            found = tunable(name, tried, sought, trials)
            moved_to = smallest_value(before, found, passes, trials) if found else None
            if found and moved_to:
                new = moved_to[-1].new
                grown = new - found.floor if isinstance(new, int) and found.counts else 0
                moved.append((grown, at, moved_to))
        if moved:
            return min(moved, key=lambda one: one[:2])[2]
    return ()
