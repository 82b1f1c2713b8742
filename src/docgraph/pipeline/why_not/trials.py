"""Trials: the same question with some options set otherwise, run a bounded number of times."""

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

MOST_RUNS = 240
SEEDS = "seeds"

T = TypeVar("T")
Again = Callable[[Pipeline, Mapping[type, Any]], Run]
Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class TrialRun:
    """The steps of one run, what each of them made, and the last value of every type."""

    steps: tuple[Step, ...]
    outputs: tuple[Any, ...]
    values: Mapping[type, Any]

    def get(self, made: type[T]) -> T:
        found: T = self.values[made]
        return found

    def at(self, action: str) -> tuple[Step, Any] | None:
        """The last step of that action, and what it made."""
        pairs = zip(self.steps, self.outputs, strict=True)
        return next((pair for pair in reversed([*pairs]) if pair[0].action.name == action), None)

    def making(self, made: type) -> Step:
        """The last step that makes this."""
        return next(step for step in reversed(self.steps) if step.action.makes is made)


class TrialRunner:
    """Steps before the first change are not run again. `runs` counts those that were."""

    def __init__(
        self, pipeline: Pipeline, given: Mapping[type, Any], graph: GraphReads, again: Again
    ) -> None:
        self._pipeline = pipeline
        self._given = given
        self._graph = graph
        self._again = again
        self._made: dict[Key, Any] = {}
        self.runs = 0

    def run(
        self, changes: tuple[OptionChange, ...] = (), up_to: type | None = None
    ) -> TrialRun | None:
        """None once there were enough."""
        pipeline, given = self._pipeline, dict(self._given)
        for change in changes:
            if change.action == SEEDS:
                assert isinstance(change.new, tuple)
                given[Seeds] = seeds_from_ids(self._graph, change.new)
                pipeline = pipeline.starting_from(Seeds)
            else:
                pipeline = applied(pipeline, change)
        if up_to is not None:
            pipeline = pipeline.up_to(up_to)
        keys = _keys(given.get(Seeds), pipeline.steps)
        known = next((at for at in range(len(keys), 0, -1) if keys[at - 1] in self._made), 0)
        if known < len(keys):
            if self.used_up:
                return None
            self._finish(pipeline, given, keys, known)
        outputs = tuple(self._made[key] for key in keys)
        values = given | {s.action.makes: o for s, o in zip(pipeline.steps, outputs, strict=True)}
        return TrialRun(pipeline.steps, outputs, values)

    @property
    def used_up(self) -> bool:
        return self.runs >= MOST_RUNS

    def _finish(
        self, pipeline: Pipeline, given: Mapping[type, Any], keys: list[Key], known: int
    ) -> None:
        done = pipeline.steps[:known]
        made = {s.action.makes: self._made[k] for s, k in zip(done, keys, strict=False)}
        rest = Pipeline(pipeline.name, pipeline.steps[known:])
        self.runs += 1
        for key, one in zip(
            keys[known:], self._again(rest, {**given, **made}).performed, strict=True
        ):
            self._made[key] = one.output


def applied(pipeline: Pipeline, change: OptionChange) -> Pipeline:
    """The pipeline as it is with this change; a step that is switched off is gone."""
    if change.option:
        return pipeline.changed(change.action, **{change.option: change.new})
    kept = tuple(step for step in pipeline.steps if step.action.name != change.action)
    return Pipeline(pipeline.name, kept)


def making_context(pipeline: Pipeline, made: type) -> Pipeline:
    cut = pipeline.up_to(made)
    if not cut.steps:
        raise BadPipeline(f"pipeline {pipeline.name!r} makes no {made.__name__}")
    return cut


def _keys(seeds: Seeds | None, steps: tuple[Step, ...]) -> list[Key]:
    """Of every step: what the run was given, and all steps up to this one with their options."""
    told: Key = (seeds.ids if seeds else None,)
    keys = []
    for step in steps:
        told = (*told, step.action.name, tuple(step.options.items()))
        keys.append(told)
    return keys
