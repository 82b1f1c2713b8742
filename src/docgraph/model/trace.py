"""The trace of a run: each step's parameters, inputs and outputs by digest, time taken."""

from dataclasses import dataclass

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
