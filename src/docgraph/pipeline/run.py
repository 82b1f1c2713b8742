"""Running a pipeline: each step gets what it requires by type, and is remembered for the trace."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from docgraph.contract import Action
from docgraph.model.errors import BadPipeline
from docgraph.model.trace import Trace
from docgraph.pipeline.facts import facts_of
from docgraph.pipeline.performed import Performed, traced
from docgraph.pipeline.pipeline import Pipeline, Step
from docgraph.ports.tracer import SILENT, Tracer
from docgraph.ports.waiting import still_wanted

T = TypeVar("T")
Values = dict[type, Any]
Window = Callable[[Mapping[type, Any]], Any]


@dataclass(frozen=True, slots=True)
class Run:
    """Every value that was made, by its type, and the steps that made them."""

    pipeline: Pipeline
    values: Mapping[type, Any]
    performed: tuple[Performed, ...]

    def get(self, made: type[T]) -> T:
        if made not in self.values:
            raise BadPipeline(f"pipeline {self.pipeline.name!r} makes no {made.__name__}")
        found: T = self.values[made]
        return found

    @property
    def trace(self) -> Trace:
        """Written when it is looked at: values are frozen, so their digests are still those."""
        return traced(self.pipeline, self.performed)


def run(
    pipeline: Pipeline,
    given: Mapping[type, Any],
    windows: Mapping[type, Window],
    clock: Callable[[], float],
    tracer: Tracer = SILENT,
) -> Run:
    """`windows` open on demand; they are looked through, not recorded."""
    values = dict(given)
    performed = tuple(_told(step, values, windows, clock, tracer) for step in pipeline.steps)
    return Run(pipeline, values, performed)


def continued(
    done: Run,
    pipeline: Pipeline,
    windows: Mapping[type, Window],
    clock: Callable[[], float],
    tracer: Tracer = SILENT,
) -> Run:
    """The same run, with the steps of another pipeline after its own."""
    further = run(pipeline, done.values, windows, clock, tracer)
    steps = Pipeline(done.pipeline.name, done.pipeline.steps + pipeline.steps)
    return Run(steps, further.values, done.performed + further.performed)


def _told(
    step: Step,
    values: Values,
    windows: Mapping[type, Window],
    clock: Callable[[], float],
    tracer: Tracer,
) -> Performed:
    still_wanted()
    with tracer.span(step.action.name) as span:
        done = _perform(step, values, windows, clock)
        if span.listens:
            span.tell(facts_of(done.output))
        return done


def _perform(
    step: Step, values: Values, windows: Mapping[type, Window], clock: Callable[[], float]
) -> Performed:
    action = step.action
    inputs = tuple(_input(action, kind, values, windows) for _, kind in action.requires)
    read = tuple((kind, values[kind]) for _, kind in action.requires if kind in values)
    began = clock()
    result = action.call(inputs, step.options)
    took = (clock() - began) * 1000
    values[action.makes] = result
    return Performed(step, read, result, round(took, 3))


def _input(action: Action, kind: type, values: Values, windows: Mapping[type, Window]) -> Any:
    if kind in values:
        return values[kind]
    if kind not in windows:
        raise BadPipeline(f"{action.name} needs {kind.__name__}, which this run was not given")
    return windows[kind](values)
