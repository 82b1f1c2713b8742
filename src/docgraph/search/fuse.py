"""Fusing rankings in our own code, the same on every store."""

from collections.abc import Collection, Iterable, Mapping, Sequence
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
    words: Mapping[str, float],
    named: Collection[str],
    defining: Collection[str],
    middle: float,
) -> list[tuple[str, float]]:
    """Every candidate's cosine above the middle, plus a share of what its words tell, plus a share
    if the question names its title, or what it defines.

    Small models' cosines sit in a narrow band; the middle of the visible candidates is its floor.
    """
    scores = {node: above(cosine, middle) for node, cosine in cosines.items()}
    for node, told in words.items():
        scores[node] += WORDS_SHARE * told
    for node in named:
        scores[node] += TITLE_SHARE
    for node in defining:
        scores[node] += DEFINER_SHARE
    return ordered(scores)


def telling(words: Ranking, places: int) -> dict[str, float]:
    """Scores above the middle, as parts of the best one.

    Of a long list the second half holds common words alone, and tells nothing.
    """
    floor = middle_of([score for _, score in words], places)
    return {node: (score - floor) / words[0][1] for node, score in words if score > floor}


def middle_of(scores: Iterable[float], places: int) -> float:
    """The median of the best that fill these places; 0 while half of them are empty.

    From there on it grows with each place, so that one candidate more moves it but little.
    """
    best = sorted(scores, reverse=True)[:places]
    filled = 2 * len(best) / places - 1
    return median(best) * filled if filled > 0 else 0.0
