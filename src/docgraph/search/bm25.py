"""Okapi BM25 over visible postings: one pure function for every store."""

import math

import numpy as np
import numpy.typing as npt

from docgraph.ports.search_reads import Handles, Postings

K1 = 1.2
B = 0.75


def bm25(postings: Postings) -> tuple[Handles, npt.NDArray[np.float64]]:
    """Owners with their best passage's score. Every statistic is of visible passages alone.

    A passage's terms are added in the terms' order, so its score has the same bits whatever
    other passages there are.
    """
    if not postings.terms:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float64)
    handles = np.concatenate([term.passages for term in postings.terms])
    passages, where = np.unique(handles, return_inverse=True)
    owners = np.zeros(len(passages), dtype=np.int64)
    scores = np.zeros(len(passages), dtype=np.float64)
    mean = postings.words / max(postings.passages, 1)
    start = 0
    for term in postings.terms:
        places = where[start : start + len(term.passages)]
        start += len(term.passages)
        frequency = term.frequencies.astype(np.float64)
        norm = K1 * (1 - B + B * term.lengths.astype(np.float64) / mean)
        owners[places] = term.owners
        scores[places] += _rarity(len(term.passages), postings.passages) * (
            frequency * (K1 + 1) / (frequency + norm)
        )
    return best_per_owner(owners, scores)


def best_per_owner(
    owners: Handles, scores: npt.NDArray[np.float64]
) -> tuple[Handles, npt.NDArray[np.float64]]:
    unique, where = np.unique(owners, return_inverse=True)
    best = np.full(len(unique), -np.inf)
    np.maximum.at(best, where, scores)
    return unique, best


def _rarity(containing: int, passages: int) -> float:
    """Rounded, so that another machine's logarithm gives the same bits."""
    return round(math.log(1 + (passages - containing + 0.5) / (containing + 0.5)), 9)
