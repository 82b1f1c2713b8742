"""Ranks candidates by vector search, by BM25, or by both."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from docgraph.model.errors import NotEmbedded
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

# Fusion of rankings: here, so that it is the same on every store.


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


def reciprocal_rank_fusion(
    rankings: Sequence[Ranking], unembedded: Collection[str] = ()
) -> list[tuple[str, float]]:
    """A node without a vector has in the missing ranking the position that it has in the other."""
    scores: dict[str, float] = {}
    for ranking in rankings:
        for position, (node, _) in enumerate(ranking, start=1):
            counts = len(rankings) if node in unembedded else 1
            scores[node] = scores.get(node, 0.0) + counts / (RECIPROCAL_K + position)
    return sort_by_score(scores)


def score_fusion(
    cosines: Mapping[str, float],
    lexical: Mapping[str, float],
    titled: Collection[str],
    defining: Collection[str],
    baseline: float,
) -> list[tuple[str, float]]:
    """Every candidate's cosine above the baseline, plus a share of its lexical weight, plus a share
    if the question names its title, or what it defines.

    Small models' cosines lie in a narrow range; the baseline is the median of the candidates. A
    candidate without a vector has in place of its cosine the part of the best one that its lexical
    weight is of the best weight, which is 1.
    """
    scores = {node: normalised_cosine(cosine, baseline) for node, cosine in cosines.items()}
    best = max(max(scores.values(), default=1.0), 0.0)
    for node in (*lexical, *titled, *defining):
        scores.setdefault(node, best * lexical.get(node, 0.0))
    for node, weight in lexical.items():
        scores[node] += WORDS_SHARE * weight
    for node in titled:
        scores[node] += TITLE_SHARE
    for node in defining:
        scores[node] += DEFINER_SHARE
    return sort_by_score(scores)


def lexical_weights(ranking: Ranking, size: int) -> dict[str, float]:
    """Scores above the baseline, as parts of the best one.

    In the second half of a long ranking only common words match, so it has no weight.
    """
    floor = baseline_of([score for _, score in ranking], size)
    return {node: (score - floor) / ranking[0][1] for node, score in ranking if score > floor}


def baseline_of(scores: Iterable[float], size: int) -> float:
    """The median of the best `size` scores; 0 while there are fewer than half as many.

    Above that it grows with each score, so that one more candidate changes it little.
    """
    best = sorted(scores, reverse=True)[:size]
    filled = 2 * len(best) / size - 1
    return _median(best) * filled if filled > 0 else 0.0


def _median(ordered: Sequence[float]) -> float:
    """As `statistics.median`, which takes longer to import than to search."""
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


Mode = Literal["semantic", "bm25", "hybrid"]
Fusion = Literal["reciprocal_rank", "normalised_scores"]


@dataclass(frozen=True, slots=True)
class RankingOptions:
    """How to rank. `refine` scores every candidate by its best chunk, however it was found."""

    mode: Mode
    over: Level
    roll_up: bool
    refine: bool
    fusion: Fusion
    pool: int

    @property
    def by_chunk(self) -> bool:
        return self.refine or self.over == "chunks"

    @property
    def mixes(self) -> bool:
        return self.mode == "hybrid" and self.fusion == "normalised_scores"


def rank(
    question: Question, reads: SearchReads, options: RankingOptions, definers: dict[str, str]
) -> tuple[Ranked, CandidateScores, dict[str, str]]:
    """Best first; the scores of all; and titles that the question names, by document."""
    lexical = (
        []
        if options.mode == "semantic"
        else lexical_candidates(question, reads, options.roll_up, options.pool)
    )
    if options.mode == "bm25":
        return lexical, CandidateScores(tuple(lexical)), {}
    near = vector_candidates(question, reads, options.over, options.roll_up, options.pool)
    if options.mode == "semantic" and not near and reads.embeddings.documents:
        raise NotEmbedded(
            f"semantic search needs vectors, and there are none yet to search over {options.over} "
            f"(embeddings: {reads.embeddings.describe()}); until then, ask with mode hybrid or bm25"
        )
    if options.mixes:
        return _fuse_scores(question, reads, options, near, lexical, definers)
    if options.refine:
        cosines = _all_cosines(question, reads, options, [node for node, _ in lexical], near)
        near = sort_by_score(cosines)[: options.pool]
    if options.mode == "semantic":
        return near, CandidateScores(tuple(near), 0.0, options.by_chunk), {}
    ranked = reciprocal_rank_fusion((near, lexical), _unembedded(question, reads, options, lexical))
    return ranked, CandidateScores(tuple(ranked)), {}


def _unembedded(
    question: Question, reads: SearchReads, options: RankingOptions, ranking: Ranking
) -> frozenset[str]:
    """Those without a vector that could have been found by."""
    if reads.embeddings.name == "complete":
        return frozenset()
    nodes = [node for node, _ in ranking]
    known = cosines_of(question, reads, nodes, by_chunk=options.by_chunk, roll_up=options.roll_up)
    return frozenset(node for node in nodes if node not in known)


def _fuse_scores(
    question: Question,
    reads: SearchReads,
    options: RankingOptions,
    near: Ranked,
    lexical: Ranked,
    definers: dict[str, str],
) -> tuple[Ranked, CandidateScores, dict[str, str]]:
    titles = titled_nodes(question.text, reads) if options.roll_up else {}
    weights = lexical_weights(lexical, options.pool)
    cosines = _all_cosines(question, reads, options, [*weights, *definers, *titles], near)
    baseline = baseline_of(cosines.values(), options.pool)
    ranked = score_fusion(cosines, weights, titles, definers, baseline)
    scale = baseline if question.vector else None
    return ranked, CandidateScores(tuple(ranked), scale, options.by_chunk), titles


def _all_cosines(
    question: Question,
    reads: SearchReads,
    options: RankingOptions,
    further: list[str],
    near: Ranked,
) -> dict[str, float]:
    """The cosine of every candidate that has a vector, however it was found."""
    known = {} if options.refine else dict(near)
    candidates = dict.fromkeys([*(node for node, _ in near), *further])
    missing = [node for node in candidates if node not in known]
    return known | cosines_of(
        question, reads, missing, by_chunk=options.by_chunk, roll_up=options.roll_up
    )
