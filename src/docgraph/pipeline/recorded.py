"""A recorded step as a step that can be run again, held to the same checks as one out of YAML."""

from docgraph.contract import Action
from docgraph.model.errors import BadPipeline
from docgraph.model.would_fit import would_fit
from docgraph.pipeline.catalog import ACTIONS, GIVEN, IMPLICIT
from docgraph.pipeline.options import checked_value
from docgraph.pipeline.pipeline import Step
from docgraph.pipeline.receipt import ReceiptStep

_KNOWN = {**ACTIONS, **{action.name: action for action in IMPLICIT}}


def recorded_step(told: ReceiptStep, made: frozenset[type]) -> Step:
    """`made` is what the steps before it make. A step that cannot be run is refused."""
    if told.action not in _KNOWN:
        raise BadPipeline(f"no action is called {told.action!r}; {would_fit(told.action, _KNOWN)}")
    action = _KNOWN[told.action]
    missing = [kind.__name__ for _, kind in action.requires if kind not in made.union(GIVEN)]
    if missing:
        raise BadPipeline(f"{action.name} needs {', '.join(missing)}, which no step before it made")
    options = {name: _checked(action, name, value) for name, value in told.options}
    for option in action.options:
        if option.name not in options:
            raise BadPipeline(f"{action.name} has a new option, {option.name!r}")
    for rule in action.option_rules:
        if problem := rule(options):
            raise BadPipeline(f"{action.name}: {problem}")
    return Step.of(action, options)


def _checked(action: Action, name: str, value: object) -> object:
    option = action.option(name)
    if option is None:
        hint = would_fit(name, [option.name for option in action.options])
        raise BadPipeline(f"{action.name}: no option is called {name!r}; {hint}")
    try:
        return checked_value(option.annotation, value)
    except ValueError as error:
        raise BadPipeline(f"{action.name}: {name}: {error}") from error
