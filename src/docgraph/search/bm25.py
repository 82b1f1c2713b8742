"""Okapi BM25 over visible postings: one pure function for every store."""

import math

import numpy as np
import numpy.typing as npt

from docgraph.ports.search_reads import NodeHandles, Passages, Postings, TermPostings

K1 = 1.2
B = 0.75


def bm25(postings: Postings) -> tuple[NodeHandles, npt.NDArray[np.float64]]:
    """RowGroups with their best passage's score. Every statistic is of visible passages alone.

    A passage's terms are added in the terms' order, so its score has the same bits whatever
    other passages there are.
    """
    passages = postings.passages
    scores = np.zeros(len(passages.lengths), dtype=np.float64)
    for term in postings.terms:
        if term.weights is None:
            term.weights = _weights(term, passages)
        scores[term.places] += term.weights
    best = passages.owners.best(scores)
    found = np.flatnonzero(best)  # no term that is in a passage counts as nothing
    return passages.owners.owners[found], best[found]


def _weights(term: TermPostings, passages: Passages) -> npt.NDArray[np.float64]:
    count = len(passages.lengths)
    mean = passages.words / count
    frequency = term.frequencies.astype(np.float64)
    norm = K1 * (1 - B + B * passages.lengths[term.places] / mean)
    weights: npt.NDArray[np.float64] = _rarity(len(term.places), count) * (
        frequency * (K1 + 1) / (frequency + norm)
    )
    return weights


def _rarity(containing: int, passages: int) -> float:
    """Rounded, so that another machine's logarithm gives the same bits."""
    return round(math.log(1 + (passages - containing + 0.5) / (containing + 0.5)), 9)
