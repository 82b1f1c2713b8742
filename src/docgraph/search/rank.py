"""Ranking candidates by meaning, by words, or by both."""

from dataclasses import dataclass
from typing import Literal

from docgraph.model.question import Question
from docgraph.model.seeds import Standing
from docgraph.ports.search_reads import Over, SearchReads
from docgraph.search.candidates import Ranked, by_meaning, by_words, measured, titled
from docgraph.search.fuse import (
    by_normalised_scores,
    by_reciprocal_rank,
    middle_of,
    ordered,
    telling,
)

Mode = Literal["semantic", "bm25", "hybrid"]
Fusion = Literal["reciprocal_rank", "normalised_scores"]


@dataclass(frozen=True, slots=True)
class Way:
    """How to rank. `refine` measures every candidate by its best passage, whoever found it."""

    mode: Mode
    over: Over
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
    question: Question, window: SearchReads, way: Way, definers: dict[str, str]
) -> tuple[Ranked, Standing, dict[str, str]]:
    """Best first; how all stand; and titles that the question names, by document."""
    words = [] if way.mode == "semantic" else by_words(question, window, way.roll_up, way.pool)
    if way.mode == "bm25":
        return words, Standing(tuple(words)), {}
    near = by_meaning(question, window, way.over, way.roll_up, way.pool)
    if way.mixes:
        return _mixed(question, window, way, near, words, definers)
    if way.refine:
        near = ordered(_measured(question, window, way, [n for n, _ in words], near))[: way.pool]
    if way.mode == "semantic":
        return near, Standing(tuple(near), 0.0, way.passages), {}
    ranked = by_reciprocal_rank((near, words))
    return ranked, Standing(tuple(ranked)), {}


def _mixed(
    question: Question,
    window: SearchReads,
    way: Way,
    near: Ranked,
    words: Ranked,
    definers: dict[str, str],
) -> tuple[Ranked, Standing, dict[str, str]]:
    titles = titled(question.text, window) if way.roll_up else {}
    told = telling(words, way.pool)
    cosines = _measured(question, window, way, [*told, *definers, *titles], near)
    middle = middle_of(cosines.values(), way.pool)
    ranked = by_normalised_scores(cosines, told, titles, definers, middle)
    return ranked, Standing(tuple(ranked), middle, way.passages), titles


def _measured(
    question: Question,
    window: SearchReads,
    way: Way,
    further: list[str],
    near: Ranked,
) -> dict[str, float]:
    """Every candidate's cosine, whoever found it."""
    known = {} if way.refine else dict(near)
    all_ = dict.fromkeys([*(node for node, _ in near), *further])
    missing = [node for node in all_ if node not in known]
    return known | measured(question, window, missing, passages=way.passages, roll_up=way.roll_up)
