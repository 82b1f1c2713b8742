"""least: how little a lever has to be moved."""

from collections.abc import Callable
from dataclasses import replace

from docgraph.model.why_not import Change, Value
from docgraph.pipeline.why_not.levers import Lever
from docgraph.pipeline.why_not.next_budget import ASSEMBLE, WHOLE_TEXTS, next_budget
from docgraph.pipeline.why_not.trials import Trials

LOOKS = 8
MOST_STEPS = 100

Changes = tuple[Change, ...]
Passes = Callable[[Changes], bool]


def least(before: Changes, found: Lever, passes: Passes, trials: Trials) -> Changes | None:
    """The smallest value that passes: one less, by running, does not."""

    def changed(value: Value) -> Changes:
        return _with(before, Change(found.action, found.option, found.old, value))

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
    found: Lever, changed: Callable[[Value], Changes], passes: Passes, trials: Trials
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


def _with(changes: Changes, change: Change) -> Changes:
    """An option that is changed once more is changed once, from what it was at first."""
    key = (change.action, change.option)
    same = [one for one in changes if (one.action, one.option) == key]
    rest = tuple(one for one in changes if one not in same)
    return (*rest, replace(change, old=same[0].old) if same else change)
