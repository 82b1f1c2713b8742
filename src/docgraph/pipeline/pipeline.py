"""A checked pipeline: steps in a straight line, each an action with its options."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from docgraph.contract import Action
from docgraph.model.digest import digest, plain


@dataclass(frozen=True, slots=True)
class Step:
    """`options` holds every option of the action, defaults included."""

    action: Action
    options: Mapping[str, Any]

    @classmethod
    def of(cls, action: Action, given: Mapping[str, Any]) -> "Step":
        options = {option.name: given.get(option.name, option.default) for option in action.options}
        return cls(action, MappingProxyType(options))

    def with_options(self, changes: Mapping[str, Any]) -> "Step":
        return Step(self.action, MappingProxyType({**self.options, **changes}))


@dataclass(frozen=True, slots=True)
class Pipeline:
    name: str
    steps: tuple[Step, ...]

    @property
    def digest(self) -> str:
        return digest([[step.action.name, plain(step.options)] for step in self.steps])

    def up_to(self, made: type) -> "Pipeline":
        """The steps through the last one that makes this."""
        last = max(
            (i for i, step in enumerate(self.steps) if step.action.makes is made), default=-1
        )
        return Pipeline(self.name, self.steps[: last + 1])

    def starting_from(self, made: type) -> "Pipeline":
        """The steps after the last one that makes this, for a run that is handed it."""
        last = max(
            (i for i, step in enumerate(self.steps) if step.action.makes is made), default=-1
        )
        return Pipeline(self.name, self.steps[last + 1 :])

    def before(self, made: type) -> "Pipeline":
        """The steps in front of the first one that makes this; all, if none does."""
        makes = [step.action.makes for step in self.steps]
        return Pipeline(self.name, self.steps[: makes.index(made)]) if made in makes else self

    def changed(self, action: str, **options: Any) -> "Pipeline":
        """The same pipeline with some options of one action set otherwise."""
        return Pipeline(
            self.name,
            tuple(s.with_options(options) if s.action.name == action else s for s in self.steps),
        )
