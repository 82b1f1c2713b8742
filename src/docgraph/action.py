"""Actions: a function's signature is its contract.

Positional parameters are the inputs that an action requires, keyword-only ones are its options in
YAML, the return type is its output. The loader reads this from the function itself.
"""

import inspect
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from docgraph.model.errors import ContractViolation, PreconditionViolation

F = TypeVar("F", bound=Callable[..., Any])
Condition = Callable[[Any], bool]
OptionRule = Callable[[Mapping[str, Any]], str | None]
_TERMS = "__contract_terms__"


@dataclass(frozen=True, slots=True)
class Option:
    """A keyword of an action, as YAML may set it."""

    name: str
    annotation: Any
    default: Any


@dataclass(frozen=True, slots=True)
class _Terms:
    requires: tuple[Condition, ...]
    ensures: tuple[Condition, ...]
    options: tuple[OptionRule, ...]
    implicit: bool


@dataclass(frozen=True, slots=True)
class Action:
    """A function's required inputs, options and output, and conditions on them.

    A precondition has one parameter: its type says which input it is about.
    `implicit` actions are not written in YAML: the loader inserts one where a step needs its
    output and no earlier step makes it.
    """

    name: str
    function: Callable[..., Any]
    requires: tuple[tuple[str, type], ...]
    options: tuple[Option, ...]
    makes: type
    preconditions: tuple[tuple[type, Condition], ...]
    postconditions: tuple[Condition, ...]
    option_rules: tuple[OptionRule, ...]
    implicit: bool

    def option(self, name: str) -> Option | None:
        return next((option for option in self.options if option.name == name), None)

    def call(self, inputs: tuple[Any, ...], options: Mapping[str, Any]) -> Any:
        """Checks the inputs, runs the action and checks its output."""
        for kind, condition in self.preconditions:
            for (_, required), value in zip(self.requires, inputs, strict=True):
                if required is kind and not condition(value):
                    raise PreconditionViolation(self._not(condition))
        result = self.function(*inputs, **options)
        if not isinstance(result, self.makes):
            raise ContractViolation(
                f"{self.name} returned {type(result).__name__}, not {self.makes.__name__}"
            )
        for condition in self.postconditions:
            if not condition(result):
                raise ContractViolation(self._not(condition))
        return result

    def _not(self, condition: Condition) -> str:
        return f"{self.name}: not {condition.__name__}: {condition.__doc__}"


def action(
    *,
    requires: tuple[Condition, ...] = (),
    ensures: tuple[Condition, ...] = (),
    options: tuple[OptionRule, ...] = (),
    implicit: bool = False,
) -> Callable[[F], F]:
    """Marks a function as an action.

    `requires` are conditions on its inputs, `ensures` on its output; both are always checked.
    """

    def mark(function: F) -> F:
        setattr(function, _TERMS, _Terms(requires, ensures, options, implicit))
        return function

    return mark


def contract_of(function: Callable[..., Any]) -> Action:
    terms: _Terms | None = getattr(function, _TERMS, None)
    if terms is None:
        raise ContractViolation(f"{function.__name__} is no action: write @action() above it")
    hints = typing.get_type_hints(function, include_extras=True)
    parameters = inspect.signature(function).parameters.values()
    return Action(
        name=function.__name__,
        function=function,
        requires=tuple((p.name, hints[p.name]) for p in parameters if p.kind is not p.KEYWORD_ONLY),
        options=tuple(
            Option(p.name, hints[p.name], p.default) for p in parameters if p.kind is p.KEYWORD_ONLY
        ),
        makes=hints["return"],
        preconditions=tuple((_input_of(one), one) for one in terms.requires),
        postconditions=terms.ensures,
        option_rules=terms.options,
        implicit=terms.implicit,
    )


def _input_of(condition: Condition) -> type:
    """The type of the parameter that is not the result."""
    (kind,) = (hint for name, hint in typing.get_type_hints(condition).items() if name != "return")
    found: type = kind
    return found
