"""search_nodes: from a question to seeds, by vector search, BM25 or both."""

import math
from collections import Counter
from itertools import count
from typing import Annotated

from annotated_types import Interval

from docgraph.action import action
from docgraph.model.node import document_of
from docgraph.model.question import Question
from docgraph.model.seeds import Seed, Seeds
from docgraph.ports.models import Reranker
from docgraph.ports.search_reads import Level, SearchReads
from docgraph.search.candidates import BM25, Ranked, defining_nodes
from docgraph.search.ranking import (
    DEFINER_SHARE,
    DIGITS,
    RECIPROCAL_K,
    TITLE_SHARE,
    WORDS_SHARE,
    Fusion,
    Mode,
    RankingOptions,
    rank,
)

# A question that names more, such as a traceback, is about few of them: they are not put first.
MAX_DEFINERS_FIRST = 3


def ids_are_unique(seeds: Seeds) -> bool:
    """No id occurs twice."""
    return len(set(seeds.ids)) == len(seeds.ids)


@action(ensures=(ids_are_unique,))
def search_nodes(
    question: Question,
    reads: SearchReads,
    reranker: Reranker,
    *,
    mode: Mode = "hybrid",
    top: Annotated[int, Interval(ge=1, le=1000)] = 8,
    over: Level = "documents",
    roll_up: bool = True,
    refine: bool = True,
    fusion: Fusion = "normalised_scores",
    pool: Annotated[int, Interval(ge=1, le=10000)] = 200,
    per_document: Annotated[int, Interval(ge=0, le=1000)] = 0,
    rerank: Annotated[int, Interval(ge=0, le=1000)] = 0,
) -> Seeds:
    """Rights are applied before ranking and before truncation: `top` results if `top` exist.

    `refine` scores every candidate by its best chunk, however it was found. `per_document` is how
    many nodes of one document may be seeds; 0 is any number. `rerank` is how many of the first
    candidates the configured reranker reorders; 0 is none.
    """
    options = RankingOptions(mode, over, roll_up, refine, fusion, max(pool, top, rerank))
    definers = {} if mode == "semantic" else defining_nodes(question.text, reads, roll_up)
    ranked, scores, titles = rank(question, reads, options, definers)
    withheld: tuple[str, ...] = ()
    positions = dict(zip((node for node, _ in ranked), count(1), strict=False))
    if rerank:
        ranked, withheld = apply_reranker(question.text, ranked, reranker, rerank)

    def why(node: str) -> str:
        title = f", titled {titles[node]}" if node in titles else ""
        unread = f", withheld from {reranker.name}" if node in withheld else ""
        return f"{mode} rank {positions[node]}{title}{unread}"

    if len(definers) <= MAX_DEFINERS_FIRST or not options.mixes:
        ranked = put_definers_first(ranked, definers)
    return Seeds(
        ranked=tuple(
            Seed(node, round(score, DIGITS), definers.get(node) or why(node))
            for node, score in limit_per_document(ranked, per_document)[:top]
        ),
        search=(
            ("mode", mode),
            ("top", top),
            ("over", over),
            ("roll_up", roll_up),
            ("refine", refine),
            ("fusion", fusion if mode == "hybrid" else None),
            ("rank_k", RECIPROCAL_K),
            ("words_share", WORDS_SHARE),
            ("title_share", TITLE_SHARE),
            ("definer_share", DEFINER_SHARE),
            ("pool", options.pool),
            ("per_document", per_document),
            ("k1", BM25.k1),
            ("b", BM25.b),
            ("rerank", reranker.name if rerank else None),
            *((("rerank_withheld", len(withheld)),) if withheld else ()),
        ),
        exact=mode == "bm25" or reads.exact,
        embeddings=reads.embeddings.describe(),
        candidates=scores,
    )


def limit_per_document(ranked: Ranked, per_document: int) -> Ranked:
    """The first so many nodes of each document; 0 is all."""
    if not per_document:
        return ranked
    counts: Counter[str] = Counter()
    limited: Ranked = []
    for item in ranked:
        root = document_of(item[0])
        counts[root] += 1
        if counts[root] <= per_document:
            limited.append(item)
    return limited


def put_definers_first(ranked: Ranked, definers: dict[str, str]) -> Ranked:
    """Nodes that define a name in the question come before all others."""
    already_ranked = {node for node, _ in ranked}
    return (
        [item for item in ranked if item[0] in definers]
        + [(node, 0.0) for node in definers if node not in already_ranked]
        + [item for item in ranked if item[0] not in definers]
    )


def apply_reranker(
    text: str, ranked: Ranked, reranker: Reranker, first: int
) -> tuple[Ranked, tuple[str, ...]]:
    """The `first` candidates in the reranker's order, and the ids that were withheld from it.

    Withheld ones keep their positions; unscored ones keep their order, behind the scored.
    """
    result = reranker.rerank(text, tuple(node for node, _ in ranked[:first]))
    scores = {node: score for node, score in result.scores.items() if math.isfinite(score)}
    read = [item for item in ranked[:first] if item[0] not in result.withheld]
    order = iter(sorted(read, key=lambda item: -scores.get(item[0], -math.inf)))
    head = [item if item[0] in result.withheld else next(order) for item in ranked[:first]]
    return head + ranked[first:], result.withheld
