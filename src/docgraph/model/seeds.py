"""Seeds: the ranked ids that search found. Scores are for the trace; no text."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Seed:
    id: str
    score: float
    why: str


@dataclass(frozen=True, slots=True)
class Selection:
    """How seeds were narrowed: the rule, its reason, and the ids it left out."""

    rule: str = "all"
    reason: str = "every candidate kept"
    dropped: tuple[str, ...] = ()


EVERY_CANDIDATE = Selection()


@dataclass(frozen=True, slots=True)
class CandidateScores:
    """How every candidate stands to the question, and how others can be measured beside them.

    A cosine counts from `middle` on, which counts as 0, up to 1; None: only candidates have a
    score. With `passages` it is the cosine of the best passage, else that of the summary.
    """

    scores: tuple[tuple[str, float], ...] = ()
    middle: float | None = None
    passages: bool = False


NO_CANDIDATE_SCORES = CandidateScores()


def normalised_cosine(cosine: float, middle: float) -> float:
    """How far a cosine is up from the middle to 1; less than 0 below it, also where it is 1."""
    return (cosine - middle) / (1 - middle) if middle < 1 else cosine - middle


@dataclass(frozen=True, slots=True)
class Seeds:
    """Best first, ties by id. `search` records how they were found; unless it was `exact`, an
    index chose which rows were looked at, and may have missed some."""

    ranked: tuple[Seed, ...]
    search: tuple[tuple[str, str | int | float | bool | None], ...]
    selection: Selection = EVERY_CANDIDATE
    exact: bool = True
    standing: CandidateScores = NO_CANDIDATE_SCORES

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(seed.id for seed in self.ranked)
