"""Egress: what may be sent to a model that runs elsewhere."""

from dataclasses import dataclass

from docgraph.model.context import Context


@dataclass(frozen=True, slots=True)
class Ceiling:
    """The labels and the level of a model endpoint: what it may read, like a reader's own.

    Who asks holds the groups; an endpoint needs none.
    """

    labels: frozenset[str] = frozenset()
    level: int = 0

    def admits(self, labels: frozenset[str], level: int) -> bool:
        """Every label of the document must be held, and its level must not be above."""
        return labels <= self.labels and level <= self.level

    def objection(self, labels: frozenset[str], level: int) -> str:
        """Why a document is not admitted; nothing, if it is."""
        lacking = " ".join(sorted(labels - self.labels))
        objections = [f"the endpoint lacks labels {lacking}"] if lacking else []
        if level > self.level:
            objections.append(f"level {level} is above the endpoint's {self.level}")
        return ", ".join(objections)


LOWEST = Ceiling()  # what no label marks, at level 0


def may_leave(ceiling: Ceiling | None, labels: frozenset[str], level: int) -> bool:
    """A model without a ceiling runs in this process: what it reads goes nowhere."""
    return ceiling is None or ceiling.admits(labels, level)


def mark_of(context: Context) -> tuple[frozenset[str], int]:
    """All labels of its items, and their highest level: who may read this may read each of them."""
    labels = frozenset[str]().union(*(item.labels for item in context.items))
    return labels, max((item.level for item in context.items), default=0)
