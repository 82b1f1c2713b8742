"""Checking an action's options against its signature."""

import json
from collections.abc import Mapping
from typing import Any

from docgraph.contract import Action
from docgraph.model.errors import BadPipeline
from docgraph.model.would_fit import would_fit
from docgraph.yaml_lines import Line


def checked_options(
    file: str, action: Action, step: str, given: Mapping[str, Line]
) -> dict[str, Any]:
    """Every option by its declared type, strictly: no `"8"` for 8, no yes for a number."""
    checked: dict[str, Any] = {}
    for name, line in given.items():
        option = action.option(name)
        if option is None:
            hint = would_fit(name, [option.name for option in action.options])
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
