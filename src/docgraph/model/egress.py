"""Egress: what may be sent to a model that runs elsewhere."""

from dataclasses import dataclass

from docgraph.model.context import Context, ContextItem, Omission


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


@dataclass(frozen=True, slots=True)
class Egress:
    """A context divided: what may be sent, and what is withheld and why."""

    sent: tuple[ContextItem, ...]
    withheld: tuple[Omission, ...]


def may_leave(ceiling: Ceiling | None, labels: frozenset[str], level: int) -> bool:
    """A model without a ceiling runs in this process: what it reads goes nowhere."""
    return ceiling is None or ceiling.admits(labels, level)


def egress(context: Context, ceiling: Ceiling | None) -> Egress:
    """Item by item, in the context's order."""
    sent, withheld = list[ContextItem](), list[Omission]()
    for item in context.items:
        if ceiling is None or ceiling.admits(item.labels, item.level):
            sent.append(item)
        else:
            reason = ceiling.objection(item.labels, item.level)
            withheld.append(Omission(item.id, f"not sent: {reason}"))
    return Egress(tuple(sent), tuple(withheld))
