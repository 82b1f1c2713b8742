"""Reordering candidates by reading them: internal to search, which sees numbers only."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from docgraph.model.egress import Ceiling


@dataclass(frozen=True, slots=True)
class Reranked:
    """Higher is better. `withheld` were not read: their text may not be sent to the model."""

    scores: Mapping[str, float]
    withheld: tuple[str, ...] = ()


class Reranker(Protocol):
    """What search sees of it."""

    @property
    def name(self) -> str: ...

    def rerank(self, question: str, ids: tuple[str, ...]) -> Reranked: ...


class RerankModel(Protocol):
    """What reads: a cross-encoder, here or behind an endpoint."""

    @property
    def name(self) -> str: ...

    @property
    def ceiling(self) -> Ceiling | None:
        """What may be sent to it; None if it runs in this process, and nothing is sent."""
        ...

    def relevance(self, question: str, texts: Sequence[str]) -> list[float]:
        """One number per text, higher is better."""
        ...
