"""Reordering candidates by reading them: internal to search, which sees numbers only."""

from collections.abc import Sequence
from typing import Protocol


class Reranker(Protocol):
    """What search sees of it."""

    @property
    def name(self) -> str: ...

    def scores(self, question: str, ids: tuple[str, ...]) -> dict[str, float]:
        """Higher is better; an id without a score stands behind the scored ones."""
        ...


class RerankModel(Protocol):
    """What reads: a cross-encoder, here or behind an endpoint."""

    @property
    def name(self) -> str: ...

    def relevance(self, question: str, texts: Sequence[str]) -> list[float]:
        """One number per text, higher is better."""
        ...
