"""Stand-ins where a test must know the answer: token counters, and rerankers with opinions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from docgraph.model.egress import Ceiling
from docgraph.ports.reranker import Reranked


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
    withheld: tuple[str, ...] = ()

    def rerank(self, question: str, ids: tuple[str, ...]) -> Reranked:
        return Reranked(
            {node: self.opinions[node] for node in ids if node in self.opinions},
            tuple(node for node in ids if node in self.withheld),
        )


@dataclass(frozen=True, slots=True)
class LikesLongTexts:
    """A rerank model."""

    name: str = "long is good"
    ceiling: Ceiling | None = None

    def relevance(self, question: str, texts: Sequence[str]) -> list[float]:
        return [float(len(text)) for text in texts]
