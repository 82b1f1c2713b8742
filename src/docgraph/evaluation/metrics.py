"""Metrics of a ranking against judgements, and their means over questions."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question's ranking, the size of its context, and the time taken."""

    ranking: tuple[str, ...]
    grades: Mapping[str, int]
    documents: int
    tokens: int
    milliseconds: float


def recall(ranking: Sequence[str], grades: Mapping[str, int], at: int) -> float:
    relevant = {document for document, grade in grades.items() if grade > 0}
    return len(relevant.intersection(ranking[:at])) / len(relevant)


def accuracy(ranking: Sequence[str], grades: Mapping[str, int], at: int) -> float:
    """1 if every relevant document is among the first `at`, as for issue localisation; else 0."""
    return float(recall(ranking, grades, at) == 1)


def hit(ranking: Sequence[str], grades: Mapping[str, int], at: int) -> float:
    """1 if any relevant document is among the first `at`; else 0."""
    return float(recall(ranking, grades, at) > 0)


def reciprocal_rank(ranking: Sequence[str], grades: Mapping[str, int]) -> float:
    ranks = (rank for rank, one in enumerate(ranking, start=1) if grades.get(one, 0) > 0)
    return 1 / next(ranks, math.inf)


def ndcg(ranking: Sequence[str], grades: Mapping[str, int], at: int) -> float:
    """Discounted gain over the best possible order; the gain of a document is its grade."""

    def gain(ordered: Sequence[int]) -> float:
        return math.fsum(grade / math.log2(index + 2) for index, grade in enumerate(ordered[:at]))

    best = sorted((grade for grade in grades.values() if grade > 0), reverse=True)
    return gain([max(grades.get(document, 0), 0) for document in ranking]) / gain(best)


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[max(math.ceil(share * len(ordered)) - 1, 0)]


def summarise(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """Means over the questions; times as percentiles."""
    times = [outcome.milliseconds for outcome in outcomes]
    means = {
        **{
            f"recall@{at}": [recall(o.ranking, o.grades, at) for o in outcomes] for at in (2, 5, 10)
        },
        **{f"acc@{at}": [accuracy(o.ranking, o.grades, at) for o in outcomes] for at in (1, 3, 5)},
        **{f"hit@{at}": [hit(o.ranking, o.grades, at) for o in outcomes] for at in (1, 3, 5)},
        "ndcg@10": [ndcg(o.ranking, o.grades, 10) for o in outcomes],
        "mrr": [reciprocal_rank(o.ranking, o.grades) for o in outcomes],
        "documents": [float(o.documents) for o in outcomes],
        "tokens": [float(o.tokens) for o in outcomes],
    }
    return {
        **{name: round(fmean(values), 4) for name, values in means.items()},
        "p50_ms": round(percentile(times, 0.5), 3),
        "p99_ms": round(percentile(times, 0.99), 3),
    }
