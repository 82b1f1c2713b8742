"""Runs a pipeline: each step gets its inputs by type, and is recorded for the trace."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeVar

from docgraph.action import Action
from docgraph.model.answer import Answer
from docgraph.model.context import Context
from docgraph.model.digest import digest
from docgraph.model.errors import BadPipeline, PreconditionViolation
from docgraph.model.evidence import RetrievedContext
from docgraph.model.plan import RetrievalPlan
from docgraph.model.question import Question
from docgraph.model.seeds import Seeds
from docgraph.pipeline.pipeline import Pipeline, Step
from docgraph.ports.cancellation import check_cancelled
from docgraph.ports.tracer import NO_TRACER, Fact, Tracer

# What steps make and read, as traces, receipts and spans name it: by artifact, since a receipt
# must not change when a class is renamed. A plug-in's own type is named by its class.
ARTIFACTS: Mapping[type, str] = MappingProxyType(
    {
        Question: "question",
        Seeds: "retrieval_seed_nodes",
        RetrievalPlan: "graph_expanded_nodes",
        RetrievedContext: "node_texts",
        Context: "context",
        Answer: "answer",
    }
)


def artifact_name(kind: type) -> str:
    return ARTIFACTS.get(kind, kind.__name__)


# Attributes of spans: ids, counts and digests, never text.


MAX_IDS = 50


def span_attributes(value: Any) -> dict[str, Fact]:
    """No text of a document, a question or an answer."""
    facts: dict[str, Fact] = {
        "docgraph.output": artifact_name(type(value)),
        "docgraph.digest": digest(value),
    }
    match value:
        case Seeds():
            facts |= _ids("seeds", value.ids)
        case RetrievalPlan():
            facts |= _ids("planned", value.order)
            facts["docgraph.expanded"] = len(value.expanded_documents)
            facts["docgraph.cut"] = len(value.cut)
        case RetrievedContext():
            facts |= _ids("chunks", tuple(one.id for node in value.nodes for one in node.chunks))
        case Context():
            facts |= _ids("items", tuple(item.id for item in value.chunks))
            facts["docgraph.tokens"] = value.tokens
            facts["docgraph.omitted"] = len(value.omitted)
        case Answer():
            facts |= _ids("sources", tuple(source.id for source in value.sources))
            facts["docgraph.answer"] = value.kind
            facts["docgraph.flags"] = len(value.flags)
        case _:
            pass
    return facts


def _ids(what: str, ids: tuple[str, ...]) -> dict[str, Fact]:
    return {f"docgraph.{what}": len(ids), f"docgraph.{what}.ids": ids[:MAX_IDS]}


# The trace of a run: each step's options, inputs and output by digest, and its duration.


OptionValue = tuple[str, str | int | float | bool | tuple[str, ...] | None]


@dataclass(frozen=True, slots=True)
class StepTrace:
    action: str
    implicit: bool
    options: tuple[OptionValue, ...]
    inputs: tuple[tuple[str, str], ...]
    output: tuple[str, str]
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Trace:
    pipeline: str
    pipeline_digest: str
    steps: tuple[StepTrace, ...]


@dataclass(frozen=True, slots=True)
class ExecutedStep:
    """A step with its inputs, its output and its duration."""

    step: Step
    inputs: tuple[tuple[type, Any], ...]
    output: Any
    milliseconds: float


def build_trace(pipeline: Pipeline, executed: Sequence[ExecutedStep]) -> Trace:
    """The digest of a value that several steps read is computed once."""
    read = {id(value): value for one in executed for _, value in one.inputs}
    made = {id(one.output): one.output for one in executed}
    digests = {key: digest(value) for key, value in {**read, **made}.items()}
    steps = tuple(_trace_step(one, digests) for one in executed)
    return Trace(pipeline.name, pipeline.digest, steps)


def _trace_step(done: ExecutedStep, digests: Mapping[int, str]) -> StepTrace:
    action = done.step.action
    return StepTrace(
        action=action.name,
        implicit=action.implicit,
        options=tuple(done.step.options.items()),
        inputs=tuple((artifact_name(kind), digests[id(value)]) for kind, value in done.inputs),
        output=(artifact_name(action.makes), digests[id(done.output)]),
        milliseconds=done.milliseconds,
    )


T = TypeVar("T")
Values = dict[type, Any]
Provider = Callable[[Mapping[type, Any]], Any]


@dataclass(frozen=True, slots=True)
class Run:
    """Every input and output by its type, and the executed steps."""

    pipeline: Pipeline
    values: Mapping[type, Any]
    executed: tuple[ExecutedStep, ...]

    def get(self, made: type[T]) -> T:
        if made not in self.values:
            raise BadPipeline(f"pipeline {self.pipeline.name!r} makes no {made.__name__}")
        value: T = self.values[made]
        return value

    @property
    def trace(self) -> Trace:
        """Computed on demand: values are frozen, so their digests do not change."""
        return build_trace(self.pipeline, self.executed)


def run(
    pipeline: Pipeline,
    inputs: Mapping[type, Any],
    providers: Mapping[type, Provider],
    clock: Callable[[], float],
    tracer: Tracer = NO_TRACER,
) -> Run:
    """`providers` make further inputs on demand, such as reads; they are not in the trace."""
    values = dict(inputs)
    executed = tuple(_run_step(step, values, providers, clock, tracer) for step in pipeline.steps)
    return Run(pipeline, values, executed)


def continue_run(
    done: Run,
    pipeline: Pipeline,
    providers: Mapping[type, Provider],
    clock: Callable[[], float],
    tracer: Tracer = NO_TRACER,
) -> Run:
    """The same run, continued with the steps of another pipeline."""
    further = run(pipeline, done.values, providers, clock, tracer)
    steps = Pipeline(done.pipeline.name, done.pipeline.steps + pipeline.steps)
    return Run(steps, further.values, done.executed + further.executed)


def _run_step(
    step: Step,
    values: Values,
    providers: Mapping[type, Provider],
    clock: Callable[[], float],
    tracer: Tracer,
) -> ExecutedStep:
    check_cancelled()
    with tracer.span(step.action.name) as span:
        done = _execute(step, values, providers, clock)
        if span.recording:
            span.set(span_attributes(done.output))
        return done


def _execute(
    step: Step, values: Values, providers: Mapping[type, Provider], clock: Callable[[], float]
) -> ExecutedStep:
    action = step.action
    inputs = tuple(_input(action, kind, values, providers) for _, kind in action.requires)
    read = tuple((kind, values[kind]) for _, kind in action.requires if kind in values)
    started = clock()
    try:
        result = action.call(inputs, step.options)
    except PreconditionViolation:
        if action.makes is not RetrievalPlan or Seeds not in values or values[Seeds].ranked:
            raise
        result = _plan_without_seeds(values[Question], values[Seeds])
    milliseconds = (clock() - started) * 1000
    values[action.makes] = result
    return ExecutedStep(step, read, result, round(milliseconds, 3))


def _plan_without_seeds(question: Question, seeds: Seeds) -> RetrievalPlan:
    """Of a step that refuses to plan without seeds: the next steps make an empty context of it."""
    return RetrievalPlan.of_seeds(
        question,
        (),
        search=seeds.search,
        selection=seeds.selection,
        exact=seeds.exact,
        embeddings=seeds.embeddings,
    )


def _input(action: Action, kind: type, values: Values, providers: Mapping[type, Provider]) -> Any:
    if kind in values:
        return values[kind]
    if kind not in providers:
        raise BadPipeline(f"{action.name} needs {kind.__name__}, which this run was not given")
    return providers[kind](values)
