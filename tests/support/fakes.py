"""Fakes with predictable results: token counters, rerankers, a chat model."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from docgraph.model.access import UNCLASSIFIED, Clearance
from docgraph.model.digest import digest
from docgraph.ports.models import ChatReply, Message, Reranked, Sampling


@dataclass(frozen=True, slots=True)
class WordCounter:
    """A word is a token."""

    name: str = "words"

    def count(self, text: str) -> int:
        return len(text.split())


@dataclass(frozen=True, slots=True)
class LetterCounter:
    """A character is a token; each blank line costs three more once it stands between others."""

    name: str = "letters"
    blank: int = 0

    def count(self, text: str) -> int:
        return len(text) + self.blank * text.strip().count("\n\n")


@dataclass(frozen=True, slots=True)
class PreferenceReranker:
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
class LengthReranker:
    """A rerank model."""

    name: str = "long is good"
    clearance: Clearance | None = None

    def relevance(self, question: str, texts: Sequence[str]) -> list[float]:
        return [float(len(text)) for text in texts]


@dataclass(frozen=True, slots=True)
class RecitingModel:
    """A chat model whose answer hangs on every byte that it is sent. A word is a token."""

    name: str = "recites"
    clearance: Clearance | None = UNCLASSIFIED
    context_window: int = 10_000
    exact_count: bool = True

    def count(self, text: str) -> int:
        return len(text.split())

    def complete(
        self,
        messages: tuple[Message, ...],
        *,
        max_tokens: int,
        seed: int,
        on_text: Callable[[str], None],
    ) -> ChatReply:
        text = f"It was sent {digest(messages)} [1]. And more [2]."
        on_text(text)
        return ChatReply(text, "stop", Sampling(0.0, seed))
