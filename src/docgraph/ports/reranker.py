"""Reordering candidates by reading them: internal to search, which sees numbers only."""

from typing import Protocol


class Reranker(Protocol):
    @property
    def name(self) -> str: ...

    def scores(self, question: str, ids: tuple[str, ...]) -> dict[str, float]:
        """Higher is better; ids without a score keep their place behind the scored ones."""
        ...
