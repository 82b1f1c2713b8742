"""BM25 as the textbook writes it, and all that a reader's `lexical` gives away."""

import math
from typing import NamedTuple

from docgraph.model.scoring import Bm25
from docgraph.model.tokenize import tokenize
from docgraph.ports.search_reads import SearchReads

ALL = 10_000
PARAMETERS = (Bm25(), Bm25(k1=0.0), Bm25(k1=1000.0, b=0.0), Bm25(k1=2.0, b=1.0))
Scores = tuple[tuple[str, float], ...]


class TermScores(NamedTuple):
    """The nodes with one term and their scores, for several parameters."""

    term: str
    scores: tuple[Scores, ...]

    @property
    def owners(self) -> list[str]:
        return sorted(node for node, _ in self.scores[0])


def scores_of(search: SearchReads, terms: tuple[str, ...], *, roll_up: bool) -> list[TermScores]:
    """Of each term that is anywhere, and last of all terms together.

    Without `k1` a score counts chunks; with a large one and no `b` it counts repetitions; with
    `b` it measures lengths. So these scores reveal every visible statistic.
    """
    found = [
        TermScores(
            " ".join(some),
            tuple(
                search.lexical(some, roll_up=roll_up, pool=ALL, bm25=bm25) for bm25 in PARAMETERS
            ),
        )
        for some in (*((term,) for term in terms), terms)
    ]
    return [one for one in found if one.owners]


def counts_chunks(search: SearchReads, terms: tuple[str, ...], chunks: int) -> bool:
    """Whether statistics are of so many chunks: every term is then in a whole number of them."""
    found = [search.lexical((term,), roll_up=False, pool=ALL, bm25=Bm25(k1=0.0)) for term in terms]
    holding = [(chunks + 1) / math.exp(scores[0][1]) - 0.5 for scores in found if scores]
    return all(abs(many - round(many)) < 1e-6 for many in holding) and bool(holding) == bool(chunks)


def textbook(
    chunks: list[str], chunk: str, terms: tuple[str, ...], bm25: Bm25 | None = None
) -> float:
    """The score of one of these chunks, one term after another."""
    k1, b = (bm25.k1, bm25.b) if bm25 else (1.2, 0.75)
    words = [tokenize(text) for text in chunks]
    mean = sum(map(len, words)) / len(words)
    total = 0.0
    for term in terms:
        containing = sum(term in one for one in words)
        frequency = tokenize(chunk).count(term)
        if frequency:
            rarity = round(math.log(1 + (len(words) - containing + 0.5) / (containing + 0.5)), 9)
            norm = k1 * (1 - b + b * float(len(tokenize(chunk))) / mean)
            total += rarity * (frequency * (k1 + 1) / (frequency + norm))
    return total
