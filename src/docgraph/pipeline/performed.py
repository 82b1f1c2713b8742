"""The steps that a run performed, and the trace that can be written of them at any time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from docgraph.model.digest import digest
from docgraph.model.trace import StepTrace, Trace
from docgraph.pipeline.pipeline import Pipeline, Step


@dataclass(frozen=True, slots=True)
class Performed:
    """What a step read and made, and the time that took. Values are frozen, so they stay so."""

    step: Step
    inputs: tuple[tuple[type, Any], ...]
    output: Any
    milliseconds: float


def traced(pipeline: Pipeline, performed: Sequence[Performed]) -> Trace:
    """One value is read by several steps: its digest is computed once."""
    read = {id(value): value for done in performed for _, value in done.inputs}
    made = {id(done.output): done.output for done in performed}
    digests = {key: digest(value) for key, value in {**read, **made}.items()}
    rows = tuple(_row(done, digests) for done in performed)
    return Trace(pipeline.name, pipeline.digest, rows)


def _row(done: Performed, digests: Mapping[int, str]) -> StepTrace:
    action = done.step.action
    return StepTrace(
        action=action.name,
        implicit=action.implicit,
        options=tuple(done.step.options.items()),
        inputs=tuple((kind.__name__, digests[id(value)]) for kind, value in done.inputs),
        output=(action.makes.__name__, digests[id(done.output)]),
        milliseconds=done.milliseconds,
    )
