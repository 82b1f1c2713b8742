"""search_nodes: from a question to seeds, by meaning, by words, or by both."""

import math
from collections import Counter
from typing import Annotated, Literal

import numpy as np
from annotated_types import Interval

from docgraph.contract import action
from docgraph.model.identity import document_of
from docgraph.model.names import identifiers
from docgraph.model.question import Question
from docgraph.model.seeds import Seed, Seeds
from docgraph.model.vector import cosine
from docgraph.model.words import words
from docgraph.ports.reranker import Reranker
from docgraph.ports.search_reads import Over, SearchReads
from docgraph.search.bm25 import K1, B, bm25
from docgraph.search.fuse import (
    DIGITS,
    RECIPROCAL_K,
    WORDS_SHARE,
    by_normalised_scores,
    by_reciprocal_rank,
)

Mode = Literal["semantic", "bm25", "hybrid"]
Fusion = Literal["reciprocal_rank", "normalised_scores"]
Ranked = list[tuple[str, float]]
NAMESAKES = 8  # visible definers beyond which a name is common, as with titles


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
    over: Over = "sections",
    roll_up: bool = True,
    fusion: Fusion = "reciprocal_rank",
    pool: Annotated[int, Interval(ge=1, le=10000)] = 200,
    rerank: Annotated[int, Interval(ge=0, le=1000)] = 0,
) -> Seeds:
    """Rights are applied before ranking and before truncation: `top` results if `top` exist.

    `rerank` is how many of the first candidates the configured reranker reorders; 0 is none.
    """
    pool = max(pool, top, rerank)
    meaning = [] if mode == "bm25" else by_meaning(question, window, over, roll_up, pool)
    by_word = [] if mode == "semantic" else by_words(question, window, roll_up, pool)
    if mode == "hybrid":
        ranked = (
            by_reciprocal_rank((meaning, by_word))
            if fusion == "reciprocal_rank"
            else by_normalised_scores(meaning, by_word)
        )
    else:
        ranked = meaning or by_word
    places = {node: f"{mode} rank {place}" for place, (node, _) in enumerate(ranked, start=1)}
    withheld: tuple[str, ...] = ()
    if rerank:
        ranked, withheld = reordered(question.text, ranked, reranker, rerank)
        places |= {node: f"{places[node]}, withheld from {reranker.name}" for node in withheld}
    found = {} if mode == "semantic" else defined(question.text, window, roll_up)
    ranked = definers_first(ranked, found)
    return Seeds(
        ranked=tuple(
            Seed(node, round(score, DIGITS), found.get(node) or places[node])
            for node, score in ranked[:top]
        ),
        search=(
            ("mode", mode),
            ("top", top),
            ("over", over),
            ("roll_up", roll_up),
            ("fusion", fusion if mode == "hybrid" else None),
            ("rank_k", RECIPROCAL_K),
            ("words_share", WORDS_SHARE),
            ("pool", pool),
            ("k1", K1),
            ("b", B),
            ("rerank", reranker.name if rerank else None),
            *((("rerank_withheld", len(withheld)),) if withheld else ()),
        ),
        exact=mode == "bm25" or window.exact,
    )


def by_meaning(
    question: Question, window: SearchReads, over: Over, roll_up: bool, pool: int
) -> Ranked:
    rows = window.nearest(question.vector, over=over, roll_up=roll_up, top=pool)
    return [(node, cosine(dot)) for node, dot in rows]


def by_words(question: Question, window: SearchReads, roll_up: bool, pool: int) -> Ranked:
    """The first `pool` by BM25; owners tied at the edge are all named before ids break the tie."""
    terms = tuple(sorted(set(words(question.text))))
    owners, scores = bm25(window.postings(terms, roll_up=roll_up))
    if len(scores) > pool:
        edge = np.partition(scores, len(scores) - pool)[len(scores) - pool]
        owners, scores = owners[scores >= edge], scores[scores >= edge]
    named = zip(window.names(owners), scores.tolist(), strict=True)
    return sorted(named, key=lambda item: (-item[1], item[0]))[:pool]


def defined(text: str, window: SearchReads, roll_up: bool) -> dict[str, str]:
    """Visible nodes that define an identifier in the question, with the reason in words.

    A name that many define, such as `__init__`, singles none of them out.
    """
    names = identifiers(text)
    found: dict[str, str] = {}
    pairs = window.definers(names) if names else ()
    bearers = Counter(name for name, _ in pairs)
    for name, node in sorted(pairs, key=lambda pair: (names.index(pair[0]), pair[1])):
        if bearers[name] <= NAMESAKES:
            found.setdefault(document_of(node) if roll_up else node, f"defines {name}")
    return found


def definers_first(ranked: Ranked, found: dict[str, str]) -> Ranked:
    known = {node for node, _ in ranked}
    return (
        [item for item in ranked if item[0] in found]
        + [(node, 0.0) for node in found if node not in known]
        + [item for item in ranked if item[0] not in found]
    )


def reordered(
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
