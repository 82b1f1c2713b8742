"""Running a pipeline: each step gets what it requires by type, and leaves a row in the trace."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from docgraph.contract import Action
from docgraph.model.digest import digest
from docgraph.model.errors import BadPipeline
from docgraph.model.trace import StepTrace, Trace
from docgraph.pipeline.pipeline import Pipeline, Step

T = TypeVar("T")
Values = dict[type, Any]
Window = Callable[[Mapping[type, Any]], Any]


@dataclass(frozen=True, slots=True)
class Run:
    """Every value that was made, by its type, and the trace of how."""

    values: Mapping[type, Any]
    trace: Trace

    def get(self, made: type[T]) -> T:
        if made not in self.values:
            raise BadPipeline(f"pipeline {self.trace.pipeline!r} makes no {made.__name__}")
        found: T = self.values[made]
        return found


def run(
    pipeline: Pipeline,
    given: Mapping[type, Any],
    windows: Mapping[type, Window],
    clock: Callable[[], float],
) -> Run:
    """`windows` open on demand; they are looked through, not recorded."""
    walk = _Walk(dict(given), {kind: digest(value) for kind, value in given.items()})
    rows = [_perform(step, walk, windows, clock) for step in pipeline.steps]
    return Run(walk.values, Trace(pipeline.name, pipeline.digest, tuple(rows)))


@dataclass(frozen=True, slots=True)
class _Walk:
    """What was made so far, and its digests, each computed once."""

    values: Values
    digests: dict[type, str]

    def add(self, kind: type, value: Any) -> None:
        self.values[kind] = value
        self.digests[kind] = digest(value)


def _perform(
    step: Step, walk: _Walk, windows: Mapping[type, Window], clock: Callable[[], float]
) -> StepTrace:
    action = step.action
    inputs = tuple(_input(action, kind, walk.values, windows) for _, kind in action.requires)
    read = tuple(
        (kind.__name__, walk.digests[kind]) for _, kind in action.requires if kind in walk.values
    )
    began = clock()
    result = action.call(inputs, step.options)
    took = (clock() - began) * 1000
    walk.add(action.makes, result)
    return StepTrace(
        action=action.name,
        implicit=action.implicit,
        options=tuple(step.options.items()),
        inputs=read,
        output=(action.makes.__name__, walk.digests[action.makes]),
        milliseconds=round(took, 3),
    )


def _input(action: Action, kind: type, values: Values, windows: Mapping[type, Window]) -> Any:
    if kind in values:
        return values[kind]
    if kind not in windows:
        raise BadPipeline(f"{action.name} needs {kind.__name__}, which this run was not given")
    return windows[kind](values)
