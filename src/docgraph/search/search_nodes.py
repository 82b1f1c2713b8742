"""search_nodes: from a question to seeds, by meaning, by words, or by both."""

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

# A question that names more, as a traceback does, is about few of them: there they only count.
MOST_FIRST = 3


def each_once(seeds: Seeds) -> bool:
    """No seed stands twice."""
    return len(set(seeds.ids)) == len(seeds.ids)


@action(ensures=(each_once,))
def search_nodes(
    question: Question,
    window: SearchReads,
    reranker: Reranker,
    *,
    mode: Mode = "hybrid",
    top: Annotated[int, Interval(ge=1, le=1000)] = 8,
    over: Level = "sections",
    roll_up: bool = True,
    refine: bool = False,
    fusion: Fusion = "reciprocal_rank",
    pool: Annotated[int, Interval(ge=1, le=10000)] = 200,
    per_document: Annotated[int, Interval(ge=0, le=1000)] = 0,
    rerank: Annotated[int, Interval(ge=0, le=1000)] = 0,
) -> Seeds:
    """Rights are applied before ranking and before truncation: `top` results if `top` exist.

    `refine` measures every candidate by its best passage, whoever found it. `per_document` is how
    many nodes of one document may be seeds; 0 is any number. `rerank` is how many of the first
    candidates the configured reranker reorders; 0 is none.
    """
    way = RankingOptions(mode, over, roll_up, refine, fusion, max(pool, top, rerank))
    found = {} if mode == "semantic" else defining_nodes(question.text, window, roll_up)
    ranked, standing, titles = rank(question, window, way, found)
    withheld: tuple[str, ...] = ()
    places = dict(zip((node for node, _ in ranked), count(1), strict=False))
    if rerank:
        ranked, withheld = apply_reranker(question.text, ranked, reranker, rerank)

    def why(node: str) -> str:
        named = f", titled {titles[node]}" if node in titles else ""
        kept = f", withheld from {reranker.name}" if node in withheld else ""
        return f"{mode} rank {places[node]}{named}{kept}"

    if len(found) <= MOST_FIRST or not way.mixes:
        ranked = definers_first(ranked, found)
    return Seeds(
        ranked=tuple(
            Seed(node, round(score, DIGITS), found.get(node) or why(node))
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
            ("pool", way.pool),
            ("per_document", per_document),
            ("k1", BM25.k1),
            ("b", BM25.b),
            ("rerank", reranker.name if rerank else None),
            *((("rerank_withheld", len(withheld)),) if withheld else ()),
        ),
        exact=mode == "bm25" or window.exact,
        standing=standing,
    )


def limit_per_document(ranked: Ranked, per_document: int) -> Ranked:
    """So many of each document stay; whoever comes later gives its place to another's."""
    if not per_document:
        return ranked
    many: Counter[str] = Counter()
    kept: Ranked = []
    for item in ranked:
        root = document_of(item[0])
        many[root] += 1
        if many[root] <= per_document:
            kept.append(item)
    return kept


def definers_first(ranked: Ranked, found: dict[str, str]) -> Ranked:
    known = {node for node, _ in ranked}
    return (
        [item for item in ranked if item[0] in found]
        + [(node, 0.0) for node in found if node not in known]
        + [item for item in ranked if item[0] not in found]
    )


def apply_reranker(
    text: str, ranked: Ranked, reranker: Reranker, first: int
) -> tuple[Ranked, tuple[str, ...]]:
    """The reranker reads; search sees numbers, and which candidates were withheld from it.

    Those keep their places, and the others change theirs around them; unscored ones keep their
    order, behind the scored.
    """
    found = reranker.rerank(text, tuple(node for node, _ in ranked[:first]))
    given = {node: score for node, score in found.scores.items() if math.isfinite(score)}
    read = [item for item in ranked[:first] if item[0] not in found.withheld]
    order = iter(sorted(read, key=lambda item: -given.get(item[0], -math.inf)))
    head = [item if item[0] in found.withheld else next(order) for item in ranked[:first]]
    return head + ranked[first:], found.withheld
