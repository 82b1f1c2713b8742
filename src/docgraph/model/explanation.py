"""Where a node stands in a question's way: in its context, or where it fell out and by how much."""

from dataclasses import dataclass
from typing import Literal

from docgraph.model.context import Reasons

Value = str | int | float | bool | tuple[str, ...] | None
Numbers = tuple[tuple[str, int | float], ...]
Stage = Literal[
    "not visible", "search", "rank", "scope", "relation", "cap", "fetch", "budget", "there"
]
# The later it fell out, the less is missing.
STAGES: tuple[Stage, ...] = (
    *("not visible", "search", "rank", "scope", "relation", "cap", "fetch", "budget", "there"),
)
NOT_VISIBLE = "nothing visible under this id"


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """How it stood at one step, in words and in numbers."""

    action: str
    inside: bool
    words: str
    numbers: Numbers = ()


@dataclass(frozen=True, slots=True)
class OptionChange:
    """One option set otherwise. Without an option it is the whole step, `on` or `off`; the action
    `seeds` stands for ids that are named instead of searched for."""

    action: str
    option: str
    old: Value
    new: Value


@dataclass(frozen=True, slots=True)
class IncludedItem:
    """A piece of it that is in the context: its number there, its id, and why."""

    number: int
    id: str
    why: Reasons


@dataclass(frozen=True, slots=True)
class Explanation:
    """`stage` is where it fell out, or `there`; `steps` is the way up to that point.

    `change` was run, and lets it in; `remedy` says so in words, `runs` how many were tried.
    """

    node: str
    question: str
    pipeline: str
    stage: Stage
    words: str
    steps: tuple[StepOutcome, ...] = ()
    shown: tuple[IncludedItem, ...] = ()
    change: tuple[OptionChange, ...] = ()
    remedy: str = ""
    runs: int = 0
