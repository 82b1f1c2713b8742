"""Why a node is in a question's context, or at which step it was left out and by how much."""

from dataclasses import dataclass
from typing import Literal

from docgraph.model.context import Reasons

Value = str | int | float | bool | tuple[str, ...] | None
Numbers = tuple[tuple[str, int | float], ...]
Stage = Literal["search", "rank", "scope", "relation", "cap", "fetch", "budget", "included"]
# In the order of a run: the later a node is left out, the less is missing.
STAGES: tuple[Stage, ...] = (
    *("search", "rank", "scope", "relation", "cap", "fetch", "budget", "included"),
)


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """What one step did with the node, as a sentence and in numbers."""

    action: str
    included: bool
    explanation: str
    numbers: Numbers = ()


@dataclass(frozen=True, slots=True)
class OptionChange:
    """One option with another value. Without an option it is the whole step, `on` or `off`; the
    action `seeds` means that ids are given instead of searched."""

    action: str
    option: str
    old: Value
    new: Value


@dataclass(frozen=True, slots=True)
class IncludedItem:
    """A part of the node that is in the context: its number there, its id, and why."""

    number: int
    id: str
    why: Reasons


@dataclass(frozen=True, slots=True)
class Explanation:
    """`stage` is where the node was left out, or `included`; `steps` are the steps up to it.

    `change` includes the node, as a run has shown; `suggestion` says so, and `runs` counts the runs
    that were tried. `items` are its parts that are in the context.
    """

    node: str
    question: str
    pipeline: str
    stage: Stage
    explanation: str
    steps: tuple[StepOutcome, ...] = ()
    items: tuple[IncludedItem, ...] = ()
    change: tuple[OptionChange, ...] = ()
    suggestion: str = ""
    runs: int = 0
