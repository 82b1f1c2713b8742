"""Comparing pipelines question by question: measures with intervals, and what one adds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from docgraph.evaluation.bootstrap import Estimate, Values, differences
from docgraph.evaluation.measures import Outcome, summary

COSTS = ("documents", "tokens", "p50_ms", "p99_ms")  # measures that are no better when higher
TIMES = ("p50_ms", "p99_ms")


@dataclass(frozen=True, slots=True)
class Gain:
    """What is gained over the best of others, by one measure."""

    over: str
    gained: Estimate


def per_question(outcomes: Sequence[Outcome]) -> dict[str, list[float]]:
    """Every measure that has a value for each question: all but times, which are percentiles."""
    rows = [summary([outcome]) for outcome in outcomes]
    return {name: [row[name] for row in rows] for name in rows[0] if name not in TIMES}


def gains(values: Values, others: Mapping[str, Values]) -> dict[str, Gain]:
    """Over whichever of the others is best by that measure; of equals, the first.

    Choosing the best after the fact favours the others: a gain is rather too small.
    """
    found: dict[str, Gain] = {}
    for name in values:
        if name not in COSTS:
            best = max(others, key=lambda other: sum(others[other][name]))
            gained = differences({name: values[name]}, {name: others[best][name]})
            found[name] = Gain(best, gained[name])
    return found
