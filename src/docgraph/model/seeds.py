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
class Seeds:
    """Best first, ties by id. `search` records how they were found; unless it was `exact`, an
    index chose which rows were looked at, and may have missed some."""

    ranked: tuple[Seed, ...]
    search: tuple[tuple[str, str | int | float | bool | None], ...]
    selection: Selection = EVERY_CANDIDATE
    exact: bool = True

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(seed.id for seed in self.ranked)
