"""A checked pipeline: steps in a straight line, each an action with its options."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from docgraph.action import Action
from docgraph.model.digest import digest, plain
from docgraph.model.errors import BadPipeline
from docgraph.model.validation import suggest
from docgraph.yaml_lines import Line


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


# Checking an action's options against its signature.


def checked_options(
    file: str, action: Action, step: str, given: Mapping[str, Line]
) -> dict[str, Any]:
    """Every option by its declared type, strictly: no `"8"` for 8, no yes for a number."""
    checked: dict[str, Any] = {}
    for name, line in given.items():
        option = action.option(name)
        if option is None:
            hint = suggest(name, [option.name for option in action.options])
            raise BadPipeline(f"{file}:{line.number}: {step}: no option is called {name!r}; {hint}")
        try:
            checked[name] = checked_value(option.annotation, line.plain())
        except ValueError as error:
            raise BadPipeline(f"{file}:{line.number}: {step}: {name}: {error}") from error
    return checked


def checked_value(annotation: Any, value: Any) -> Any:
    """The value as its type, or a ValueError in words that say what would fit."""
    from pydantic import TypeAdapter, ValidationError

    try:
        written = json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{value!r} is not a plain value") from error
    try:
        return TypeAdapter(annotation).validate_json(written, strict=True)
    except ValidationError as error:
        problems = dict.fromkeys(problem["msg"] for problem in error.errors())
        raise ValueError(f"{value!r}: {'; '.join(problems)}") from error
