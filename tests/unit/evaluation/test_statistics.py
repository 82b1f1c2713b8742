"""Intervals, against distributions that can be worked out exactly."""

import math
from fractions import Fraction

import pytest

from docgraph.evaluation.statistics import Estimate, differences, estimates


def exact(ones: int, questions: int) -> tuple[float, float]:
    """Of zeros and ones, resampled sums are binomial: the quantiles are known."""

    def quantile(share: Fraction) -> float:
        total = Fraction(0)
        for found in range(questions + 1):
            hit, miss = Fraction(ones, questions), Fraction(questions - ones, questions)
            total += math.comb(questions, found) * hit**found * miss ** (questions - found)
            if total >= share:
                return found / questions
        raise AssertionError

    return quantile(Fraction(25, 1000)), quantile(Fraction(975, 1000))


@pytest.mark.parametrize(("ones", "questions"), [(4, 8), (10, 20), (3, 20), (30, 40)])
def test_an_interval_holds_95_percent_of_the_resampled_means(ones: int, questions: int) -> None:
    values = [1.0] * ones + [0.0] * (questions - ones)
    found = estimates({"recall@5": values})["recall@5"]
    assert found.mean == round(ones / questions, 4)
    assert (found.low, found.high) == exact(ones, questions)


def test_the_exact_intervals_are_those_of_the_binomial_table() -> None:
    assert exact(4, 8) == (0.125, 0.875)
    assert exact(10, 20) == (0.3, 0.7)


def test_a_difference_is_taken_question_by_question() -> None:
    """What makes a question hard for both makes the difference no less certain."""
    one = {"mrr": [0.1, 0.9, 0.3, 0.6], "tokens": [5.0, 5.0, 5.0, 5.0]}
    other = {"mrr": [0.0, 0.8, 0.2, 0.5], "recall@5": [1.0, 1.0, 1.0, 1.0]}
    assert differences(one, other) == {"mrr": Estimate(0.1, 0.1, 0.1)}
    with pytest.raises(ValueError, match="longer"):
        differences({"mrr": [0.5]}, {"mrr": [0.5, 0.5]})


def test_intervals_are_deterministic_and_independent_of_other_metrics() -> None:
    values = [question % 7 / 7 for question in range(50)]
    alone = estimates({"mrr": values})
    assert estimates({"mrr": values}) == alone
    assert estimates({"other": values[::-1], "mrr": values})["mrr"] == alone["mrr"]


def test_many_questions_are_drawn_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    values = {"mrr": [question % 7 / 7 for question in range(50)]}
    whole = estimates(values)
    monkeypatch.setattr("docgraph.evaluation.statistics._MAX_DRAWS", 1234)
    assert estimates(values) == whole


def test_nothing_measured_is_nothing_estimated() -> None:
    assert estimates({}) == {}
