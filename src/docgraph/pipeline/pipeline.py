"""A validated pipeline: a sequence of steps, each an action with its options."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType, NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Interval

from docgraph.action import Action
from docgraph.model.digest import digest, plain
from docgraph.model.errors import BadPipeline
from docgraph.model.question import Question
from docgraph.model.validation import suggest
from docgraph.ports.models import Reranker
from docgraph.yaml_lines import Line


@dataclass(frozen=True, slots=True)
class Step:
    """`options` holds every option of the action, defaults included."""

    action: Action
    options: Mapping[str, Any]

    @classmethod
    def of(cls, action: Action, options: Mapping[str, Any]) -> "Step":
        complete = {one.name: options.get(one.name, one.default) for one in action.options}
        return cls(action, MappingProxyType(complete))

    def with_options(self, changes: Mapping[str, Any]) -> "Step":
        return Step(self.action, MappingProxyType({**self.options, **changes}))


@dataclass(frozen=True, slots=True)
class Pipeline:
    name: str
    steps: tuple[Step, ...]

    @property
    def digest(self) -> str:
        return digest([[step.action.name, plain(step.options)] for step in self.steps])

    @property
    def reads_no_vector(self) -> bool:
        """Whether its steps use the question's words alone. A plan holds the question's vector,
        since execution selects chunks by it."""
        return not any(
            {Question, Reranker} & {kind for _, kind in step.action.requires}
            and not _is_lexical(step)
            for step in self.steps
        )

    def up_to(self, made: type) -> "Pipeline":
        """The steps up to the last one that makes this type, inclusive."""
        last = max(
            (i for i, step in enumerate(self.steps) if step.action.makes is made), default=-1
        )
        return Pipeline(self.name, self.steps[: last + 1])

    def starting_from(self, made: type) -> "Pipeline":
        """The steps after the last one that makes this type, for a run that has it as input."""
        last = max(
            (i for i, step in enumerate(self.steps) if step.action.makes is made), default=-1
        )
        return Pipeline(self.name, self.steps[last + 1 :])

    def before(self, made: type) -> "Pipeline":
        """The steps before the first one that makes this type; all, if none does."""
        makes = [step.action.makes for step in self.steps]
        return Pipeline(self.name, self.steps[: makes.index(made)]) if made in makes else self

    def with_options(self, action: str, **options: Any) -> "Pipeline":
        """The same pipeline with other values for some options of one action."""
        return Pipeline(
            self.name,
            tuple(s.with_options(options) if s.action.name == action else s for s in self.steps),
        )


def _is_lexical(step: Step) -> bool:
    lexical = step.action.name == "search_nodes" and step.options["mode"] == "bm25"
    return lexical and not step.options["rerank"]


# Validation of options against an action's signature.


def validate_options(
    file: str, action: Action, step: str, given: Mapping[str, Line]
) -> dict[str, Any]:
    """Strictly by the declared types: neither `"8"` nor `yes` is a number."""
    valid: dict[str, Any] = {}
    for name, line in given.items():
        option = action.option(name)
        if option is None:
            hint = suggest(name, [option.name for option in action.options])
            raise BadPipeline(f"{file}:{line.number}: {step}: no option is called {name!r}; {hint}")
        try:
            valid[name] = validate_value(option.annotation, line.plain())
        except ValueError as error:
            raise BadPipeline(f"{file}:{line.number}: {step}: {name}: {error}") from error
    return valid


def fits_plainly(annotation: Any, value: Any) -> bool:
    """Whether pydantic would give the value back as it is; what needs more than a look is False.

    Importing pydantic takes a tenth of the time of a question on the command line.
    """
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return any(type(value) is type(one) and value == one for one in arguments)
    if origin is Annotated:
        limits = arguments[1:]
        return (
            fits_plainly(arguments[0], value)
            and isinstance(value, int | float)
            and all(isinstance(one, Interval) and _is_within(one, value) for one in limits)
        )
    if origin in (Union, UnionType):
        return any(fits_plainly(one, value) for one in arguments)
    return annotation in (bool, int, NoneType) and type(value) is annotation


def _is_within(limits: Interval, value: float) -> bool:
    """Of whole numbers and numbers, with both ends."""
    low, high = limits.ge, limits.le
    return (
        isinstance(low, int | float)
        and isinstance(high, int | float)
        and limits.gt is None is limits.lt
        and low <= value <= high
    )


def validate_value(annotation: Any, value: Any) -> Any:
    """The value as its type, or a ValueError that says what would fit."""
    if fits_plainly(annotation, value):
        return value
    from pydantic import TypeAdapter, ValidationError

    try:
        text = json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{value!r} is not a plain value") from error
    try:
        return TypeAdapter(annotation).validate_json(text, strict=True)
    except ValidationError as error:
        problems = dict.fromkeys(problem["msg"] for problem in error.errors())
        raise ValueError(f"{value!r}: {'; '.join(problems)}") from error
