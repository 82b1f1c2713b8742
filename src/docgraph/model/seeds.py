"""Seeds: the ranked ids that search found, with scores for the trace and without text."""

from dataclasses import dataclass

from docgraph.model.embedding_state import COMPLETE
from docgraph.model.node import document_of


@dataclass(frozen=True, slots=True)
class Seed:
    id: str
    score: float
    why: str


@dataclass(frozen=True, slots=True)
class Selection:
    """How seeds were selected: the rule, its reason, and the ids it excluded."""

    rule: str = "all"
    reason: str = "every candidate kept"
    dropped: tuple[str, ...] = ()


EVERY_CANDIDATE = Selection()


@dataclass(frozen=True, slots=True)
class CandidateScores:
    """The score of every candidate, and how to score other nodes on the same scale.

    A cosine counts from the `baseline`, which is 0, up to 1; None: only candidates have a score.
    With `by_chunk` it is the cosine of the best chunk, else that of the summary.
    """

    scores: tuple[tuple[str, float], ...] = ()
    baseline: float | None = None
    by_chunk: bool = False


NO_CANDIDATE_SCORES = CandidateScores()


def normalised_cosine(cosine: float, baseline: float) -> float:
    """A cosine scaled so that the baseline is 0 and 1 is 1; negative below the baseline."""
    return (cosine - baseline) / (1 - baseline) if baseline < 1 else cosine - baseline


@dataclass(frozen=True, slots=True)
class Seeds:
    """Best first, ties by id. `search` records the options; unless it was `exact`, an index
    proposed the rows, and may have missed some. `embeddings` says how far the visible documents
    were embedded."""

    ranked: tuple[Seed, ...]
    search: tuple[tuple[str, str | int | float | bool | None], ...]
    selection: Selection = EVERY_CANDIDATE
    exact: bool = True
    candidates: CandidateScores = NO_CANDIDATE_SCORES
    embeddings: str = COMPLETE

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(seed.id for seed in self.ranked)

    def of_first_documents(self, documents: int) -> tuple[str, ...]:
        """The seeds of the first so many documents; sections count as their document."""
        roots = tuple(dict.fromkeys(document_of(seed) for seed in self.ids))[:documents]
        return tuple(seed for seed in self.ids if document_of(seed) in roots)
