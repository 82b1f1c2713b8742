"""Gains: measure by measure, over whichever of the others is best by it."""

from docgraph.evaluation.metrics import Outcome, summarise
from docgraph.evaluation.statistics import Estimate, gains, per_question

GRADES = {"a": 1, "b": 1}


def outcome(*ranking: str, tokens: int = 10) -> Outcome:
    return Outcome(ranking, GRADES, documents=len(ranking), tokens=tokens, milliseconds=1.0)


def test_every_measure_but_times_has_a_value_for_each_question() -> None:
    outcomes = [outcome("a", "x"), outcome("x", "y", tokens=30)]
    found = per_question(outcomes)
    assert found["recall@2"] == [0.5, 0.0]
    assert found["tokens"] == [10.0, 30.0]
    assert set(summarise(outcomes)) - set(found) == {"p50_ms", "p99_ms"}


def test_a_gain_is_over_the_best_by_that_measure() -> None:
    planned = per_question([outcome("a", "b"), outcome("a", "b")])
    others = {
        "first": per_question([outcome("a", "x"), outcome("a", "x")]),
        "deep": per_question([outcome("x", "y", "a", "b"), outcome("x", "y", "a", "b")]),
    }
    found = gains(planned, others)
    assert (found["recall@2"].over, found["recall@2"].gained) == ("first", Estimate(0.5, 0.5, 0.5))
    assert (found["recall@5"].over, found["recall@5"].gained) == ("deep", Estimate(0.0, 0.0, 0.0))
    assert "tokens" not in found
    assert "documents" not in found


def test_of_equals_the_first_is_the_best() -> None:
    same = per_question([outcome("a")])
    assert gains(same, {"one": same, "other": same})["mrr"].over == "one"
