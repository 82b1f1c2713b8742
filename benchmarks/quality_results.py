"""Results of a dataset by question; the tables are made from them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.quality_switches import Switch


@dataclass(frozen=True, slots=True)
class Row:
    """A pipeline's measures for each question. `time` is a share of flat hybrid's."""

    name: str
    values: Mapping[str, Sequence[float]]
    time: float
    megabytes: float | None = None


@dataclass(frozen=True, slots=True)
class SwitchedOff:
    """A planned pipeline's measures with something switched off."""

    planned: str
    switch: Switch
    values: Mapping[str, Sequence[float]]


@dataclass(frozen=True, slots=True)
class MeasuredSet:
    """`localises`: the questions ask for positions in code.

    `left_out` questions have a problem and are not among `questions`; `truncated` ones are.
    """

    name: str
    localises: bool
    documents: int
    questions: int
    left_out: int
    truncated: int
    edges: Mapping[str, int]
    flat: tuple[Row, ...]
    planned: tuple[Row, ...]
    over: tuple[Row, ...]
    policies: tuple[Row, ...]
    off: tuple[SwitchedOff, ...]
