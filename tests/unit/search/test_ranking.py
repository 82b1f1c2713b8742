"""Fusing rankings."""

import random
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from docgraph.search.ranking import (
    DEFINER_SHARE,
    RECIPROCAL_K,
    TITLE_SHARE,
    WORDS_SHARE,
    Ranking,
    baseline_of,
    lexical_weights,
    reciprocal_rank_fusion,
    score_fusion,
    sort_by_score,
)

nodes = st.lists(st.sampled_from("abcdefghij"), unique=True)
scores = st.floats(-1, 1)


@st.composite
def rankings(draw: st.DrawFn, low: float = -1.0) -> list[tuple[str, float]]:
    found = draw(nodes)
    marks = sorted(draw(st.lists(st.floats(low, 1), min_size=len(found), max_size=len(found))))
    return list(zip(found, reversed(marks), strict=True))


@pytest.mark.requirement(13)
@given(st.dictionaries(st.text(), scores), st.randoms(use_true_random=False))
def test_best_comes_first_and_ties_go_by_id(found: dict[str, float], chance: random.Random) -> None:
    items = list(found.items())
    chance.shuffle(items)
    ranked = sort_by_score(dict(items))
    assert ranked == sort_by_score(found)
    assert ranked == sorted(ranked, key=lambda item: (-item[1], item[0]))


@pytest.mark.requirement(13)
def test_a_rank_counts_one_over_sixty_plus_itself() -> None:
    assert RECIPROCAL_K == 60
    fused = reciprocal_rank_fusion(([("a", 9.0), ("b", 8.0)], [("b", 1.0)]))
    assert fused == [("b", round(1 / 62 + 1 / 61, 12)), ("a", round(1 / 61, 12))]


@pytest.mark.requirement(13)
@given(rankings(), rankings())
def test_reciprocal_rank_does_not_depend_on_which_ranking_comes_first(
    a: Ranking, b: Ranking
) -> None:
    assert reciprocal_rank_fusion((a, b)) == reciprocal_rank_fusion((b, a))


@pytest.mark.requirement(13)
@given(rankings(), rankings())
def test_reciprocal_rank_orders_as_exact_fractions_would(a: Ranking, b: Ranking) -> None:
    exact: dict[str, Fraction] = {}
    for ranking in (a, b):
        for place, (node, _) in enumerate(ranking, start=1):
            exact[node] = exact.get(node, Fraction(0)) + Fraction(1, RECIPROCAL_K + place)
    expected = sorted(exact, key=lambda node: (-exact[node], node))
    assert [node for node, _ in reciprocal_rank_fusion((a, b))] == expected


@pytest.mark.requirement(13)
def test_equal_sums_tie_by_id() -> None:
    """Among the first 200 some pairs of places have equal sums, which floats add up unequally."""
    pairs: dict[Fraction, list[tuple[int, int]]] = {}
    for x in range(1, 201):
        for y in range(x, 201):
            exact = Fraction(1, RECIPROCAL_K + x) + Fraction(1, RECIPROCAL_K + y)
            pairs.setdefault(exact, []).append((x, y))
    uneven = [
        found
        for found in pairs.values()
        if len({1 / (RECIPROCAL_K + x) + 1 / (RECIPROCAL_K + y) for x, y in found}) > 1
    ]
    assert uneven
    for (p, q), (r, s), *_ in uneven:
        if len({p, q, r, s}) == 4:
            first = {p: "b", r: "a"}
            second = {q: "b", s: "a"}
            fused = reciprocal_rank_fusion((ranked(first), ranked(second)))
            assert [node for node, _ in fused if node in "ab"] == ["a", "b"]


def ranked(places: dict[int, str]) -> Ranking:
    return [(places.get(place, f"filler{place}"), 0.0) for place in range(1, 201)]


def mixed(
    meaning: Ranking,
    words: Ranking = (),
    named: tuple[str, ...] = (),
    defining: tuple[str, ...] = (),
    places: int = 2,
) -> list[tuple[str, float]]:
    """As search does: who is no candidate by meaning has a cosine of 0 here."""
    weights = lexical_weights(sorted(words, key=lambda item: (-item[1], item[0])), places)
    cosines = dict.fromkeys((*weights, *named, *defining), 0.0) | dict(meaning)
    return score_fusion(cosines, weights, named, defining, baseline_of(cosines.values(), places))


@pytest.mark.requirement(13)
@given(rankings(), rankings(low=0.01), st.integers(1, 8))
@example([("a", 1.0), ("b", 0.5), ("c", 0.1)], [("c", 1.0), ("d", 1.0)], 2)
@example([("a", 1.0), ("b", 1.0), ("c", 0.0)], [("b", 1.0)], 1)
def test_normalised_scores_never_put_first_what_is_worse_in_both(
    meaning: Ranking, words: Ranking, places: int
) -> None:
    near, weights = dict(meaning), dict(words)
    fused = [node for node, _ in mixed(meaning, words, places=places)]
    for place, better in enumerate(fused):
        for worse in fused[:place]:
            assert not (
                near.get(better, 0.0) > near.get(worse, 0.0) + 1e-9
                and weights.get(better, 0.0) > weights.get(worse, 0.0) + 1e-9
            )


@pytest.mark.requirement(13)
def test_cosines_are_measured_from_the_median_of_the_candidates() -> None:
    fused = dict(mixed([("a", 0.9), ("b", 0.8), ("c", 0.6)], places=3))
    assert fused == {"a": pytest.approx(0.5), "b": 0.0, "c": pytest.approx(-1.0)}


def test_the_baseline_is_the_median_of_the_best_and_0_while_half_of_them_are_missing() -> None:
    assert baseline_of([0.1, 0.9, 0.8], 2) == pytest.approx(0.85)
    assert baseline_of([0.9, 0.8, 0.7], 4) == pytest.approx(0.4)
    assert baseline_of([0.9, 0.8], 4) == 0.0
    assert baseline_of([], 2) == 0.0


@given(st.integers(1, 200), st.floats(0.1, 1))
def test_one_more_candidate_moves_the_baseline_by_one_position(found: int, cosine: float) -> None:
    step = baseline_of([cosine] * (found + 1), 200) - baseline_of([cosine] * found, 200)
    assert 0 <= step <= cosine / 100 + 1e-9


@pytest.mark.requirement(13)
def test_in_a_full_lexical_list_the_second_half_has_no_weight() -> None:
    words = [("a", 4.0), ("b", 3.0), ("c", 1.0)]
    assert lexical_weights(words, 3) == {"a": 0.25}
    assert lexical_weights(words, 4) == {"a": 0.625, "b": 0.375}  # from half of 3 on
    assert lexical_weights([], 3) == {}


def test_a_word_of_one_document_has_full_weight() -> None:
    assert lexical_weights([("a", 4.0)], 200) == {"a": 1.0}
    assert dict(mixed([("b", 0.0)], [("a", 4.0)], places=200)) == {"a": WORDS_SHARE, "b": 0.0}


def test_a_named_title_and_a_defined_name_count_a_share_each() -> None:
    alike = [("a", 0.5), ("b", 0.5), ("c", 0.5)]
    fused = dict(mixed(alike, named=("a",), defining=("a", "b"), places=3))
    assert fused == {"a": TITLE_SHARE + DEFINER_SHARE, "b": DEFINER_SHARE, "c": 0.0}


def test_equal_candidates_have_no_vector_score() -> None:
    assert mixed([("a", 1.0), ("b", 1.0)]) == [("a", 0.0), ("b", 0.0)]


def test_nothing_fuses_to_nothing() -> None:
    assert reciprocal_rank_fusion(([], [])) == []
    assert mixed([]) == []


@pytest.mark.requirement(54)
def test_a_candidate_without_a_vector_is_scored_by_its_words() -> None:
    """The best words stand for the best cosine, half of them for half of it."""
    words = {"near": 0.2, "best": 1.0, "half": 0.5}
    found = dict(score_fusion({"near": 0.8, "far": 0.1}, words, (), (), 0.0))
    assert found["best"] == pytest.approx(0.8 + WORDS_SHARE)
    assert found["half"] == pytest.approx(0.4 + WORDS_SHARE / 2)
    assert found["near"] == pytest.approx(0.8 + WORDS_SHARE * 0.2)
    assert max(found, key=found.__getitem__) == "best"


@pytest.mark.requirement(54)
@given(st.dictionaries(st.sampled_from("abcdef"), st.floats(0, 1), min_size=1))
def test_without_any_vector_words_alone_decide(words: dict[str, float]) -> None:
    ranked = score_fusion({}, words, (), (), 0.0)
    assert [node for node, _ in ranked] == [node for node, _ in sort_by_score(words)]


@pytest.mark.requirement(54)
def test_a_candidate_without_a_vector_has_its_rank_in_both_rankings() -> None:
    near, words = [("a", 0.9), ("b", 0.8)], [("new", 5.0), ("a", 4.0)]
    fused = dict(reciprocal_rank_fusion((near, words), frozenset({"new"})))
    assert fused["new"] == pytest.approx(2 / 61)
    assert fused["new"] > fused["a"] > fused["b"]
