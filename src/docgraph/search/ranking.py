"""Ranking candidates by meaning, by words, or by both."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from docgraph.model.question import Question
from docgraph.model.seeds import CandidateScores, normalised_cosine
from docgraph.ports.search_reads import Level, SearchReads
from docgraph.search.candidates import (
    Ranked,
    cosines_of,
    lexical_candidates,
    titled_nodes,
    vector_candidates,
)

# Fusing rankings in our own code, the same on every store.


Ranking = Sequence[tuple[str, float]]
RECIPROCAL_K = 60
WORDS_SHARE = 0.25
TITLE_SHARE = 0.25
DEFINER_SHARE = 0.25
DIGITS = 12


def sort_by_score(scores: Mapping[str, float]) -> list[tuple[str, float]]:
    """Best first, ties by id. Rounded, so that equal sums tie however they were added up."""
    rounded = [(-round(score, DIGITS), node) for node, score in scores.items()]
    rounded.sort()
    return [(node, -score) for score, node in rounded]


def reciprocal_rank_fusion(rankings: Sequence[Ranking]) -> list[tuple[str, float]]:
    scores: dict[str, float] = {}
    for ranking in rankings:
        for place, (node, _) in enumerate(ranking, start=1):
            scores[node] = scores.get(node, 0.0) + 1 / (RECIPROCAL_K + place)
    return sort_by_score(scores)


def score_fusion(
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
    scores = {node: normalised_cosine(cosine, middle) for node, cosine in cosines.items()}
    for node, told in words.items():
        scores[node] += WORDS_SHARE * told
    for node in named:
        scores[node] += TITLE_SHARE
    for node in defining:
        scores[node] += DEFINER_SHARE
    return sort_by_score(scores)


def lexical_weights(words: Ranking, places: int) -> dict[str, float]:
    """Scores above the middle, as parts of the best one.

    Of a long list the second half holds common words alone, and tells nothing.
    """
    floor = baseline_of([score for _, score in words], places)
    return {node: (score - floor) / words[0][1] for node, score in words if score > floor}


def baseline_of(scores: Iterable[float], places: int) -> float:
    """The median of the best that fill these places; 0 while half of them are empty.

    From there on it grows with each place, so that one candidate more moves it but little.
    """
    best = sorted(scores, reverse=True)[:places]
    filled = 2 * len(best) / places - 1
    return median(best) * filled if filled > 0 else 0.0


Mode = Literal["semantic", "bm25", "hybrid"]
Fusion = Literal["reciprocal_rank", "normalised_scores"]


@dataclass(frozen=True, slots=True)
class RankingOptions:
    """How to rank. `refine` measures every candidate by its best passage, whoever found it."""

    mode: Mode
    over: Level
    roll_up: bool
    refine: bool
    fusion: Fusion
    pool: int

    @property
    def passages(self) -> bool:
        return self.refine or self.over == "passages"

    @property
    def mixes(self) -> bool:
        return self.mode == "hybrid" and self.fusion == "normalised_scores"


def rank(
    question: Question, window: SearchReads, way: RankingOptions, definers: dict[str, str]
) -> tuple[Ranked, CandidateScores, dict[str, str]]:
    """Best first; how all stand; and titles that the question names, by document."""
    words = (
        []
        if way.mode == "semantic"
        else lexical_candidates(question, window, way.roll_up, way.pool)
    )
    if way.mode == "bm25":
        return words, CandidateScores(tuple(words)), {}
    near = vector_candidates(question, window, way.over, way.roll_up, way.pool)
    if way.mixes:
        return _mixed(question, window, way, near, words, definers)
    if way.refine:
        near = sort_by_score(_measured(question, window, way, [n for n, _ in words], near))[
            : way.pool
        ]
    if way.mode == "semantic":
        return near, CandidateScores(tuple(near), 0.0, way.passages), {}
    ranked = reciprocal_rank_fusion((near, words))
    return ranked, CandidateScores(tuple(ranked)), {}


def _mixed(
    question: Question,
    window: SearchReads,
    way: RankingOptions,
    near: Ranked,
    words: Ranked,
    definers: dict[str, str],
) -> tuple[Ranked, CandidateScores, dict[str, str]]:
    titles = titled_nodes(question.text, window) if way.roll_up else {}
    told = lexical_weights(words, way.pool)
    cosines = _measured(question, window, way, [*told, *definers, *titles], near)
    middle = baseline_of(cosines.values(), way.pool)
    ranked = score_fusion(cosines, told, titles, definers, middle)
    return ranked, CandidateScores(tuple(ranked), middle, way.passages), titles


def _measured(
    question: Question,
    window: SearchReads,
    way: RankingOptions,
    further: list[str],
    near: Ranked,
) -> dict[str, float]:
    """Every candidate's cosine, whoever found it."""
    known = {} if way.refine else dict(near)
    all_ = dict.fromkeys([*(node for node, _ in near), *further])
    missing = [node for node in all_ if node not in known]
    return known | cosines_of(question, window, missing, passages=way.passages, roll_up=way.roll_up)
