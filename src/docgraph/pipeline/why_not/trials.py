"""Trial runs: the same question with other options, a bounded number of times."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from docgraph.model.errors import BadPipeline
from docgraph.model.explanation import OptionChange
from docgraph.model.seeds import Seeds
from docgraph.pipeline.pipeline import Pipeline, Step
from docgraph.pipeline.request import seeds_from_ids
from docgraph.pipeline.run import Run
from docgraph.ports.graph_reads import GraphReads

MAX_RUNS = 240
SEEDS = "seeds"

T = TypeVar("T")
RunPipeline = Callable[[Pipeline, Mapping[type, Any]], Run]
Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class TrialRun:
    """The steps of one run with their outputs, and the last value of every type."""

    steps: tuple[Step, ...]
    outputs: tuple[Any, ...]
    values: Mapping[type, Any]

    def get(self, made: type[T]) -> T:
        value: T = self.values[made]
        return value

    def step_of(self, action: str) -> tuple[Step, Any] | None:
        """The last step of that action, and its output."""
        pairs = zip(self.steps, self.outputs, strict=True)
        return next((pair for pair in reversed([*pairs]) if pair[0].action.name == action), None)

    def step_making(self, made: type) -> Step:
        """The last step that makes this type."""
        return next(step for step in reversed(self.steps) if step.action.makes is made)


class TrialRunner:
    """Runs a pipeline with changes; outputs of steps before the first change are reused."""

    def __init__(
        self,
        pipeline: Pipeline,
        inputs: Mapping[type, Any],
        graph: GraphReads,
        run_pipeline: RunPipeline,
    ) -> None:
        self._pipeline = pipeline
        self._inputs = inputs
        self._graph = graph
        self._run_pipeline = run_pipeline
        self._outputs: dict[Key, Any] = {}
        self.runs = 0

    def run(
        self, changes: tuple[OptionChange, ...] = (), up_to: type | None = None
    ) -> TrialRun | None:
        """None once MAX_RUNS is reached."""
        pipeline, inputs = self._pipeline, dict(self._inputs)
        for change in changes:
            if change.action == SEEDS:
                assert isinstance(change.new, tuple)
                inputs[Seeds] = seeds_from_ids(self._graph, change.new)
                pipeline = pipeline.starting_from(Seeds)
            else:
                pipeline = apply_change(pipeline, change)
        if up_to is not None:
            pipeline = pipeline.up_to(up_to)
        keys = _step_keys(inputs.get(Seeds), pipeline.steps)
        cached = next((at for at in range(len(keys), 0, -1) if keys[at - 1] in self._outputs), 0)
        if cached < len(keys):
            if self.exhausted:
                return None
            self._run_rest(pipeline, inputs, keys, cached)
        outputs = tuple(self._outputs[key] for key in keys)
        values = inputs | {s.action.makes: o for s, o in zip(pipeline.steps, outputs, strict=True)}
        return TrialRun(pipeline.steps, outputs, values)

    @property
    def exhausted(self) -> bool:
        return self.runs >= MAX_RUNS

    def _run_rest(
        self, pipeline: Pipeline, inputs: Mapping[type, Any], keys: list[Key], cached: int
    ) -> None:
        done = pipeline.steps[:cached]
        made = {s.action.makes: self._outputs[k] for s, k in zip(done, keys, strict=False)}
        rest = Pipeline(pipeline.name, pipeline.steps[cached:])
        self.runs += 1
        executed = self._run_pipeline(rest, {**inputs, **made}).executed
        for key, step in zip(keys[cached:], executed, strict=True):
            self._outputs[key] = step.output


def apply_change(pipeline: Pipeline, change: OptionChange) -> Pipeline:
    """The pipeline with this change; a step that is switched off is removed."""
    if change.option:
        return pipeline.with_options(change.action, **{change.option: change.new})
    steps = tuple(step for step in pipeline.steps if step.action.name != change.action)
    return Pipeline(pipeline.name, steps)


def steps_making(pipeline: Pipeline, made: type) -> Pipeline:
    """The pipeline up to this type; an error if no step makes it."""
    steps = pipeline.up_to(made)
    if not steps.steps:
        raise BadPipeline(f"pipeline {pipeline.name!r} makes no {made.__name__}")
    return steps


def _step_keys(seeds: Seeds | None, steps: tuple[Step, ...]) -> list[Key]:
    """For each step: the given seeds, and all steps up to it with their options."""
    key: Key = (seeds.ids if seeds else None,)
    keys = []
    for step in steps:
        key = (*key, step.action.name, tuple(step.options.items()))
        keys.append(key)
    return keys
