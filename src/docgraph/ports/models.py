"""Asking a language model: messages in, pieces of text out, as they come."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from docgraph.model.access import Clearance
from docgraph.model.question import EmbedderIdentity
from docgraph.model.vector import IntVector


@dataclass(frozen=True, slots=True)
class Message:
    role: Literal["system", "user"]
    content: str


@dataclass(frozen=True, slots=True)
class Sampling:
    """What the server took; None where it does not know the parameter and chose for itself."""

    temperature: float | None
    seed: int | None


@dataclass(frozen=True, slots=True)
class ChatReply:
    """The end of an answer: `finish` is "stop", "length" if it was cut off at `max_tokens`,
    or another word of the server's."""

    text: str
    finish: str
    sampling: Sampling


class ChatModel(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def ceiling(self) -> Clearance | None:
        """What may be sent to it; None if it runs in this process, and nothing is sent."""
        ...

    @property
    def context_window(self) -> int:
        """Tokens of prompt and answer together."""
        ...

    @property
    def exact_count(self) -> bool:
        """Whether texts are counted with the model's own tokenizer, or estimated with a margin."""
        ...

    def count(self, text: str) -> int:
        """Tokens of one message at most: its text, and what the server puts around it."""
        ...

    def complete(
        self,
        messages: tuple[Message, ...],
        *,
        max_tokens: int,
        seed: int,
        on_text: Callable[[str], None],
    ) -> ChatReply:
        """`heard` gets each piece as it arrives: the pieces joined are the text that is said.

        Raises ModelError if there is no answer, or half of one: pieces may have been heard by then.
        """
        ...


# Which language models may be asked, and who hears what they say.


@dataclass(frozen=True, slots=True)
class ChatModelChain:
    """In the order in which they are tried. `heard` gets an answer piece by piece, as it comes."""

    models: tuple[ChatModel, ...]
    on_text: Callable[[str], None]


# Turning texts into vectors.


class Embedder(Protocol):
    @property
    def identity(self) -> EmbedderIdentity: ...

    def embed(self, texts: Sequence[str]) -> list[IntVector]:
        """One integer vector per text; a text's vector does not depend on its companions."""
        ...


# Reordering candidates by reading them: internal to search, which sees numbers only.


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
    def ceiling(self) -> Clearance | None:
        """What may be sent to it; None if it runs in this process, and nothing is sent."""
        ...

    def relevance(self, question: str, texts: Sequence[str]) -> list[float]:
        """One number per text, higher is better."""
        ...
