"""Bootstrap confidence intervals of means over questions, and of differences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from docgraph.evaluation.metrics import Outcome, summarise

RESAMPLES = 10_000
LEVEL = 0.95
SEED = 20_240_229
DIGITS = 4
_UNIT = 10**6  # sums of whole millionths are the same on every machine
_MAX_DRAWS = 4_000_000  # in memory at once

Values = Mapping[str, Sequence[float]]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over questions, and the interval in which 95 % of the resampled means lie."""

    mean: float
    low: float
    high: float


def estimates(values: Values) -> dict[str, Estimate]:
    """For each metric, from its value for every question; all metrics use the same draws."""
    table = np.array([values[name] for name in values], dtype=np.float64)
    if not table.size:
        return {}
    whole = np.rint(table * _UNIT).astype(np.int64)
    questions = whole.shape[1]
    means = np.sort(_resampled(whole), axis=1)
    tail = (1 - LEVEL) / 2
    low, high = (
        np.quantile(means, share, axis=1, method="inverted_cdf") for share in (tail, 1 - tail)
    )
    scale = _UNIT * questions
    return {
        name: Estimate(
            *(round(float(sums[at]) / scale, DIGITS) for sums in (whole.sum(1), low, high))
        )
        for at, name in enumerate(values)
    }


def differences(values: Values, others: Values) -> dict[str, Estimate]:
    """Of `values` minus `others`, paired by question."""
    return estimates(
        {
            name: [one - other for one, other in zip(own, others[name], strict=True)]
            for name, own in values.items()
            if name in others
        }
    )


def _resampled(values: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """For each row, sums over as many questions as there are, drawn with replacement."""
    rows, questions = values.shape
    draw = np.random.default_rng(SEED)
    block = max(1, _MAX_DRAWS // questions)
    sums = np.empty((rows, RESAMPLES), dtype=np.int64)
    for begin in range(0, RESAMPLES, block):
        end = min(begin + block, RESAMPLES)
        drawn = draw.integers(0, questions, (end - begin, questions))
        for row in range(rows):
            sums[row, begin:end] = values[row][drawn].sum(axis=1)
    return sums


COSTS = ("documents", "tokens", "p50_ms", "p99_ms")  # metrics where higher is not better
TIMES = ("p50_ms", "p99_ms")


@dataclass(frozen=True, slots=True)
class Gain:
    """The difference from the best of others, by one metric."""

    over: str
    gained: Estimate


def per_question(outcomes: Sequence[Outcome]) -> dict[str, list[float]]:
    """Every metric that has a value for each question: all but times, which are percentiles."""
    rows = [summarise([outcome]) for outcome in outcomes]
    return {name: [row[name] for row in rows] for name in rows[0] if name not in TIMES}


def gains(values: Values, others: Mapping[str, Values]) -> dict[str, Gain]:
    """Over the best of the others by that metric; of equals, the first.

    The best is selected on the same questions, which rather underestimates the gain.
    """
    by_metric: dict[str, Gain] = {}
    for name in values:
        if name not in COSTS:
            best = max(others, key=lambda other: sum(others[other][name]))
            gained = differences({name: values[name]}, {name: others[best][name]})
            by_metric[name] = Gain(best, gained[name])
    return by_metric
