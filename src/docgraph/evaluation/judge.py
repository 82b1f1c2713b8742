"""Judging a context by what was expected of it."""

from dataclasses import dataclass

from docgraph.evaluation.expectations import Expectation
from docgraph.model.context import Context, ContextItem


@dataclass(frozen=True, slots=True)
class Verdict:
    """`problems` says in words what is not as expected; nothing, if all is."""

    expectation: Expectation
    problems: tuple[str, ...]
    tokens: int
    seconds: float

    @property
    def good(self) -> bool:
        return not self.problems


def problems_of(expected: Expectation, context: Context) -> tuple[str, ...]:
    missing = [
        f"does not include {wanted}"
        for wanted in expected.must_include
        if not any(fits(item, wanted) for item in context.items)
    ]
    unwanted = [
        f"includes {name}: {item.id} ({item.why.rule})"
        for name in expected.must_not_include
        for item in context.items
        if fits(item, name)
    ]
    return (*missing, *dict.fromkeys(unwanted))


def fits(item: ContextItem, name: str) -> bool:
    """By the id of its document, node or passage, or of a symbol around it; or by its path."""
    names = (item.document, item.node, item.id, item.location.path)
    return name in names or ("::" in name and item.node.startswith(f"{name}."))
