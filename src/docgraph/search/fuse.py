"""Fusing rankings in our own code, the same on every store."""

from collections.abc import Sequence
from statistics import median

Ranking = Sequence[tuple[str, float]]
RECIPROCAL_K = 60
WORDS_SHARE = 0.3
DIGITS = 12


def ordered(scores: dict[str, float]) -> list[tuple[str, float]]:
    """Best first, ties by id. Rounded, so that equal sums tie however they were added up."""
    rounded = ((node, round(score, DIGITS)) for node, score in scores.items())
    return sorted(rounded, key=lambda item: (-item[1], item[0]))


def by_reciprocal_rank(rankings: Sequence[Ranking]) -> list[tuple[str, float]]:
    scores: dict[str, float] = {}
    for ranking in rankings:
        for place, (node, _) in enumerate(ranking, start=1):
            scores[node] = scores.get(node, 0.0) + 1 / (RECIPROCAL_K + place)
    return ordered(scores)


def by_normalised_scores(meaning: Ranking, words: Ranking) -> list[tuple[str, float]]:
    """`(cos - median) / (1 - median)` plus a share of `bm25 / max`, over the given rankings.

    Small models' cosines sit in a narrow band; the median of the visible candidates is its floor.
    What words alone found lies behind the last one by meaning, and counts as that.
    """
    middle = median(score for _, score in meaning) if meaning else 0.0
    scores = {
        node: (score - middle) / (1 - middle) if middle < 1 else 0.0 for node, score in meaning
    }
    lowest = min(scores.values(), default=0.0)
    for node, score in words:
        scores[node] = scores.get(node, lowest) + WORDS_SHARE * score / words[0][1]
    return ordered(scores)
