"""Actions: a function's signature is its contract.

Positional parameters are the inputs that an action requires, keyword-only ones are its options in
YAML, the return type is its output. The loader reads this from the function itself.
"""

import inspect
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from docgraph.model.errors import ContractViolation

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
    ensures: tuple[Condition, ...]
    options: tuple[OptionRule, ...]
    implicit: bool


@dataclass(frozen=True, slots=True)
class Action:
    """A function's required inputs, options and output, and conditions on them.

    `implicit` actions are not written in YAML: the loader inserts one where a step needs its
    output and no earlier step makes it.
    """

    name: str
    function: Callable[..., Any]
    requires: tuple[tuple[str, type], ...]
    options: tuple[Option, ...]
    makes: type
    postconditions: tuple[Condition, ...]
    option_rules: tuple[OptionRule, ...]
    implicit: bool

    def option(self, name: str) -> Option | None:
        return next((option for option in self.options if option.name == name), None)

    def call(self, inputs: tuple[Any, ...], options: Mapping[str, Any]) -> Any:
        """Runs the action and checks its output."""
        result = self.function(*inputs, **options)
        if not isinstance(result, self.makes):
            raise ContractViolation(
                f"{self.name} returned {type(result).__name__}, not {self.makes.__name__}"
            )
        for condition in self.postconditions:
            if not condition(result):
                raise ContractViolation(
                    f"{self.name}: not {condition.__name__}: {condition.__doc__}"
                )
        return result


def action(
    *,
    ensures: tuple[Condition, ...] = (),
    options: tuple[OptionRule, ...] = (),
    implicit: bool = False,
) -> Callable[[F], F]:
    """Marks a function as an action; `ensures` are conditions on its output, always checked."""

    def mark(function: F) -> F:
        setattr(function, _TERMS, _Terms(ensures, options, implicit))
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
        postconditions=terms.ensures,
        option_rules=terms.options,
        implicit=terms.implicit,
    )
