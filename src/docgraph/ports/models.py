"""Models: chat, embedding and reranking."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

from docgraph.model.access import UNCLASSIFIED, Clearance
from docgraph.model.question import EmbedderIdentity
from docgraph.model.vector import IntVector


@dataclass(frozen=True, slots=True)
class Message:
    role: Literal["system", "user"]
    content: str


@dataclass(frozen=True, slots=True)
class Sampling:
    """The values that the server used; None where it does not support the parameter."""

    temperature: float | None
    seed: int | None


@dataclass(frozen=True, slots=True)
class ChatReply:
    """The whole answer: `finish` is "stop", "length" if it was cut off at `max_tokens`,
    or another value of the server's."""

    text: str
    finish: str
    sampling: Sampling


class ChatModel(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def clearance(self) -> Clearance | None:
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
        """An upper bound of one message's tokens: its text, and what the server puts around it."""
        ...

    def complete(
        self,
        messages: tuple[Message, ...],
        *,
        max_tokens: int,
        seed: int,
        on_text: Callable[[str], None],
    ) -> ChatReply:
        """`on_text` gets each piece as it arrives: the pieces joined are the text of the reply.

        Raises ModelError if there is no answer, or half of one: `on_text` may have got pieces.
        """
        ...


@dataclass(frozen=True, slots=True)
class ChatModelChain:
    """In the order in which they are tried. `on_text` gets an answer piece by piece."""

    models: tuple[ChatModel, ...]
    on_text: Callable[[str], None]


class Embedder(Protocol):
    @property
    def identity(self) -> EmbedderIdentity: ...

    def embed(self, texts: Sequence[str]) -> list[IntVector]:
        """One integer vector per text; a text's vector does not depend on its companions."""
        ...


@runtime_checkable
class BatchEmbedder(Protocol):
    """An embedder that gives vectors while it computes others, so that an error loses few."""

    def embed_batches(
        self, texts: Sequence[str], on_batch: Callable[[int, Sequence[IntVector]], None]
    ) -> None:
        """`on_batch` gets the position of a batch's first text and the vectors of the batch.

        It is called in this thread, batch by batch; if there is an error, also for complete batches
        behind the one that failed, before the error is raised.
        """
        ...


class VectorCache(Protocol):
    """Vectors of one tenant and one embedder, outside of any store. It may forget any of them."""

    def find(self, keys: Sequence[str]) -> dict[str, IntVector]:
        """Those that are cached, by `text_key`; other keys are absent from the result."""
        ...

    def add(self, vectors: Mapping[str, IntVector]) -> None: ...


class NoVectorCache:
    def find(self, _keys: Sequence[str]) -> dict[str, IntVector]:
        return {}

    def add(self, _vectors: Mapping[str, IntVector]) -> None:
        """Forgotten at once."""


NO_VECTOR_CACHE: VectorCache = NoVectorCache()


@dataclass(frozen=True, slots=True)
class Reranked:
    """Higher is better. `withheld` were not read: their text may not be sent to the model."""

    scores: Mapping[str, float]
    withheld: tuple[str, ...] = ()


class Reranker(Protocol):
    """Reorders candidates by their text; search, which calls it, gets numbers only."""

    @property
    def name(self) -> str: ...

    def rerank(self, question: str, ids: tuple[str, ...]) -> Reranked: ...


class RerankModel(Protocol):
    """A cross-encoder, in this process or behind an endpoint."""

    @property
    def name(self) -> str: ...

    @property
    def clearance(self) -> Clearance | None:
        """What may be sent to it; None if it runs in this process, and nothing is sent."""
        ...

    def relevance(self, question: str, texts: Sequence[str]) -> list[float]:
        """One number per text, higher is better."""
        ...


CPU_ALONE = ("cpu",)  # the usual execution providers


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """The settings of one model, of which a provider takes what it needs.

    `clearance` is what may be sent to it, `key` its API key. `context_window` and `tokenizer`, a
    file, are a chat model's. `dimensions` is the width that an embedder's vectors shall have, if
    one is asked for; `concurrency` and `requests_per_minute` limit its requests, if they are set.
    An embedder in this process runs on the first of `execution_providers` that can. `options` are
    the provider's own.
    """

    folder: str | None = None
    url: str = ""
    model: str = ""
    key: str | None = field(default=None, repr=False)
    clearance: Clearance = UNCLASSIFIED
    context_window: int = 4096
    tokenizer: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    dimensions: int | None = None
    concurrency: int | None = None
    requests_per_minute: int | None = None
    execution_providers: tuple[str, ...] = CPU_ALONE


@dataclass(frozen=True, slots=True)
class ModelProvider:
    """Opens models of its kind; None for a kind of model that it does not have."""

    name: str
    embedder: Callable[[ModelSettings], Embedder] | None = None
    reranker: Callable[[ModelSettings], RerankModel] | None = None
    chat: Callable[[ModelSettings], ChatModel] | None = None
