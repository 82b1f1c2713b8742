"""Running a pipeline: each step gets what it requires by type, and is remembered for the trace."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from docgraph.action import Action
from docgraph.model.answer import Answer
from docgraph.model.context import Context
from docgraph.model.digest import digest
from docgraph.model.errors import BadPipeline
from docgraph.model.evidence import RetrievedContext
from docgraph.model.plan import RetrievalPlan
from docgraph.model.seeds import Seeds
from docgraph.pipeline.pipeline import Pipeline, Step
from docgraph.ports.cancellation import check_cancelled
from docgraph.ports.tracer import NO_TRACER, Fact, Tracer

# What may be told of a value to whoever watches the machine: ids, counts and digests.


MOST_IDS = 50


def span_attributes(value: Any) -> dict[str, Fact]:
    """None of them is text of a document, a question or an answer."""
    facts: dict[str, Fact] = {
        "docgraph.output": type(value).__name__,
        "docgraph.digest": digest(value),
    }
    match value:
        case Seeds():
            facts |= _named("seeds", value.ids)
        case RetrievalPlan():
            facts |= _named("planned", value.order)
            facts["docgraph.expanded"] = len(value.expanded_documents)
            facts["docgraph.cut"] = len(value.cut)
        case RetrievedContext():
            facts |= _named("passages", tuple(p.id for n in value.nodes for p in n.passages))
        case Context():
            facts |= _named("items", tuple(item.id for item in value.items if item.number))
            facts["docgraph.tokens"] = value.tokens
            facts["docgraph.omitted"] = len(value.omitted)
        case Answer():
            facts |= _named("sources", tuple(source.id for source in value.sources))
            facts["docgraph.answer"] = value.kind
            facts["docgraph.flags"] = len(value.flags)
        case _:
            pass
    return facts


def _named(what: str, ids: tuple[str, ...]) -> dict[str, Fact]:
    return {f"docgraph.{what}": len(ids), f"docgraph.{what}.ids": ids[:MOST_IDS]}


# The trace of a run: each step's parameters, inputs and outputs by digest, time taken.


Option = tuple[str, str | int | float | bool | tuple[str, ...] | None]


@dataclass(frozen=True, slots=True)
class StepTrace:
    action: str
    implicit: bool
    options: tuple[Option, ...]
    inputs: tuple[tuple[str, str], ...]
    output: tuple[str, str]
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Trace:
    pipeline: str
    pipeline_digest: str
    steps: tuple[StepTrace, ...]


# The steps that a run performed, and the trace that can be written of them at any time.


@dataclass(frozen=True, slots=True)
class ExecutedStep:
    """What a step read and made, and the time that took. Values are frozen, so they stay so."""

    step: Step
    inputs: tuple[tuple[type, Any], ...]
    output: Any
    milliseconds: float


def build_trace(pipeline: Pipeline, performed: Sequence[ExecutedStep]) -> Trace:
    """One value is read by several steps: its digest is computed once."""
    read = {id(value): value for done in performed for _, value in done.inputs}
    made = {id(done.output): done.output for done in performed}
    digests = {key: digest(value) for key, value in {**read, **made}.items()}
    rows = tuple(_row(done, digests) for done in performed)
    return Trace(pipeline.name, pipeline.digest, rows)


def _row(done: ExecutedStep, digests: Mapping[int, str]) -> StepTrace:
    action = done.step.action
    return StepTrace(
        action=action.name,
        implicit=action.implicit,
        options=tuple(done.step.options.items()),
        inputs=tuple((kind.__name__, digests[id(value)]) for kind, value in done.inputs),
        output=(action.makes.__name__, digests[id(done.output)]),
        milliseconds=done.milliseconds,
    )


T = TypeVar("T")
Values = dict[type, Any]
Provider = Callable[[Mapping[type, Any]], Any]


@dataclass(frozen=True, slots=True)
class Run:
    """Every value that was made, by its type, and the steps that made them."""

    pipeline: Pipeline
    values: Mapping[type, Any]
    performed: tuple[ExecutedStep, ...]

    def get(self, made: type[T]) -> T:
        if made not in self.values:
            raise BadPipeline(f"pipeline {self.pipeline.name!r} makes no {made.__name__}")
        found: T = self.values[made]
        return found

    @property
    def trace(self) -> Trace:
        """Written when it is looked at: values are frozen, so their digests are still those."""
        return build_trace(self.pipeline, self.performed)


def run(
    pipeline: Pipeline,
    given: Mapping[type, Any],
    providers: Mapping[type, Provider],
    clock: Callable[[], float],
    tracer: Tracer = NO_TRACER,
) -> Run:
    """`windows` open on demand; they are looked through, not recorded."""
    values = dict(given)
    performed = tuple(_run_step(step, values, providers, clock, tracer) for step in pipeline.steps)
    return Run(pipeline, values, performed)


def continue_run(
    done: Run,
    pipeline: Pipeline,
    providers: Mapping[type, Provider],
    clock: Callable[[], float],
    tracer: Tracer = NO_TRACER,
) -> Run:
    """The same run, with the steps of another pipeline after its own."""
    further = run(pipeline, done.values, providers, clock, tracer)
    steps = Pipeline(done.pipeline.name, done.pipeline.steps + pipeline.steps)
    return Run(steps, further.values, done.performed + further.performed)


def _run_step(
    step: Step,
    values: Values,
    providers: Mapping[type, Provider],
    clock: Callable[[], float],
    tracer: Tracer,
) -> ExecutedStep:
    check_cancelled()
    with tracer.span(step.action.name) as span:
        done = _perform(step, values, providers, clock)
        if span.recording:
            span.set(span_attributes(done.output))
        return done


def _perform(
    step: Step, values: Values, providers: Mapping[type, Provider], clock: Callable[[], float]
) -> ExecutedStep:
    action = step.action
    inputs = tuple(_input(action, kind, values, providers) for _, kind in action.requires)
    read = tuple((kind, values[kind]) for _, kind in action.requires if kind in values)
    began = clock()
    result = action.call(inputs, step.options)
    took = (clock() - began) * 1000
    values[action.makes] = result
    return ExecutedStep(step, read, result, round(took, 3))


def _input(action: Action, kind: type, values: Values, providers: Mapping[type, Provider]) -> Any:
    if kind in values:
        return values[kind]
    if kind not in providers:
        raise BadPipeline(f"{action.name} needs {kind.__name__}, which this run was not given")
    return providers[kind](values)
