"""Fusing rankings in our own code, the same on every store."""

from collections.abc import Collection, Mapping, Sequence
from statistics import median

from docgraph.model.seeds import above

Ranking = Sequence[tuple[str, float]]
RECIPROCAL_K = 60
WORDS_SHARE = 0.25
TITLE_SHARE = 0.25
DEFINER_SHARE = 0.25
DIGITS = 12


def ordered(scores: Mapping[str, float]) -> list[tuple[str, float]]:
    """Best first, ties by id. Rounded, so that equal sums tie however they were added up."""
    rounded = [(-round(score, DIGITS), node) for node, score in scores.items()]
    rounded.sort()
    return [(node, -score) for score, node in rounded]


def by_reciprocal_rank(rankings: Sequence[Ranking]) -> list[tuple[str, float]]:
    scores: dict[str, float] = {}
    for ranking in rankings:
        for place, (node, _) in enumerate(ranking, start=1):
            scores[node] = scores.get(node, 0.0) + 1 / (RECIPROCAL_K + place)
    return ordered(scores)


def by_normalised_scores(
    cosines: Mapping[str, float],
    words: Ranking,
    named: Collection[str],
    defining: Collection[str],
    middle: float,
) -> list[tuple[str, float]]:
    """Every candidate's cosine above the middle, plus a share of its words' score above theirs,
    plus a share if the question names its title, or what it defines.

    Small models' cosines sit in a narrow band; the middle of the visible candidates is its floor.
    Half of what words found holds common words alone, and gains nothing by them.
    """
    scores = {node: above(cosine, middle) for node, cosine in cosines.items()}
    if words:
        floor, best = median(score for _, score in words), words[0][1]
        for node, score in words:
            if score > floor:
                scores[node] += WORDS_SHARE * (score - floor) / best
    for node in named:
        scores[node] += TITLE_SHARE
    for node in defining:
        scores[node] += DEFINER_SHARE
    return ordered(scores)


def middle_of(cosines: Mapping[str, float], first: int) -> float:
    """The median of the best so many."""
    return median(sorted(cosines.values(), reverse=True)[:first]) if cosines else 0.0
