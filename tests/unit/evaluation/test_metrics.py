"""Metrics, compared with numbers that were calculated manually."""

import math

import pytest

from docgraph.evaluation.metrics import (
    Outcome,
    accuracy,
    hit,
    ndcg,
    percentile,
    recall,
    reciprocal_rank,
    summarise,
)

GRADES = {"a": 2, "b": 1, "c": 0}


def test_recall_counts_relevant_documents_among_the_first() -> None:
    assert recall(["x", "a", "b"], GRADES, 2) == 0.5
    assert recall(["x", "a", "b"], GRADES, 3) == 1.0
    assert recall(["c"], GRADES, 5) == 0.0


def test_accuracy_asks_for_every_relevant_document() -> None:
    assert accuracy(["a", "x", "b"], GRADES, 2) == 0.0
    assert accuracy(["a", "x", "b"], GRADES, 3) == 1.0
    assert accuracy(["a", "b"], GRADES, 1) == 0.0


def test_a_hit_asks_for_any_relevant_document() -> None:
    assert hit(["x", "b"], GRADES, 1) == 0.0
    assert hit(["x", "b"], GRADES, 2) == 1.0
    assert hit(["c"], GRADES, 5) == 0.0


def test_reciprocal_rank_is_that_of_the_first_relevant_document() -> None:
    assert reciprocal_rank(["c", "x", "b", "a"], GRADES) == pytest.approx(1 / 3)
    assert reciprocal_rank(["c"], GRADES) == 0.0


def test_ndcg_is_one_for_the_best_order_and_less_for_any_other() -> None:
    assert ndcg(["a", "b"], GRADES, 10) == 1.0
    best = 2 / math.log2(2) + 1 / math.log2(3)
    assert ndcg(["b", "a"], GRADES, 10) == pytest.approx((1 + 2 / math.log2(3)) / best)
    assert ndcg(["x"] * 10 + ["a"], GRADES, 10) == 0.0


def test_a_percentile_is_a_value_that_was_measured() -> None:
    values = [float(number) for number in range(1, 101)]
    assert percentile(values, 0.5) == 50.0
    assert percentile(values, 0.99) == 99.0
    assert percentile([7.0], 0.99) == 7.0


def test_a_summary_has_every_measure_as_a_mean() -> None:
    found = summarise(
        [
            Outcome(("a", "b"), GRADES, documents=2, tokens=100, milliseconds=1.0),
            Outcome(("x",), GRADES, documents=4, tokens=300, milliseconds=3.0),
        ]
    )
    assert found == {
        "recall@2": 0.5,
        "recall@5": 0.5,
        "recall@10": 0.5,
        "acc@1": 0.0,
        "acc@3": 0.5,
        "acc@5": 0.5,
        "hit@1": 0.5,
        "hit@3": 0.5,
        "hit@5": 0.5,
        "ndcg@10": 0.5,
        "mrr": 0.5,
        "documents": 3.0,
        "tokens": 200.0,
        "p50_ms": 1.0,
        "p99_ms": 3.0,
    }
