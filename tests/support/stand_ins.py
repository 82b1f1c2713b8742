"""Stand-ins where a test must know the answer: token counters, and rerankers with opinions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CountsWords:
    """A word is a token."""

    name: str = "words"

    def count(self, text: str) -> int:
        return len(text.split())


@dataclass(frozen=True, slots=True)
class CountsLetters:
    """A character is a token; each blank line costs three more once it stands between others."""

    name: str = "letters"
    blank: int = 0

    def count(self, text: str) -> int:
        return len(text) + self.blank * text.strip().count("\n\n")


@dataclass(frozen=True, slots=True)
class Prefers:
    """A reranker that has made up its mind."""

    opinions: Mapping[str, float]
    name: str = "opinionated"

    def scores(self, question: str, ids: tuple[str, ...]) -> dict[str, float]:
        return {node: self.opinions[node] for node in ids if node in self.opinions}


@dataclass(frozen=True, slots=True)
class LikesLongTexts:
    """A rerank model."""

    name: str = "long is good"

    def relevance(self, question: str, texts: Sequence[str]) -> list[float]:
        return [float(len(text)) for text in texts]
