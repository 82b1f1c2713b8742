"""The context for a language model: chunks by document, each with the reasons for it."""

from dataclasses import dataclass
from typing import Protocol

from docgraph.model.digest import digest
from docgraph.model.node import Location, document_of


@dataclass(frozen=True, slots=True)
class Reasons:
    """Why an item is in the context: rule (seed or edge), access decision, budget decision."""

    rule: str
    access: str
    budget: str


@dataclass(frozen=True, slots=True)
class ContextItem:
    """A chunk, which can be cited as `[number]`, or a concept, which has number 0.

    `title` is that of the planned node; `labels` and `level` are those of its document's access
    rule.
    """

    number: int
    id: str
    node: str
    title: str
    heading_path: tuple[str, ...]
    location: Location
    text: str
    tokens: int
    labels: frozenset[str]
    level: int
    why: Reasons

    @property
    def layer(self) -> str:
        return "evidence" if self.number else "concept"

    @property
    def document_id(self) -> str:
        return document_of(self.node)


@dataclass(frozen=True, slots=True)
class ContextDocument:
    """The concepts and chunks of one document, and their tokens."""

    document_id: str
    tokens: int
    concepts: tuple[ContextItem, ...]
    chunks: tuple[ContextItem, ...]


@dataclass(frozen=True, slots=True)
class Omission:
    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Context:
    """`text` is what is sent to the model; `tokens` is counted on exactly that text.

    `documents` are in the plan's order of admission.
    """

    question: str
    text: str
    tokens: int
    max_tokens: int
    tokenizer: str
    documents: tuple[ContextDocument, ...]
    omitted: tuple[Omission, ...]
    reason: str

    @property
    def digest(self) -> str:
        return digest(self)

    @property
    def items(self) -> tuple[ContextItem, ...]:
        """Concepts by document, then chunks by number."""
        concepts = (item for document in self.documents for item in document.concepts)
        return (*concepts, *self.chunks)

    @property
    def chunks(self) -> tuple[ContextItem, ...]:
        """By number, as they can be cited."""
        chunks = (item for document in self.documents for item in document.chunks)
        return tuple(sorted(chunks, key=lambda item: item.number))


class TokenCounter(Protocol):
    """Counts the tokens of a text, without state. Receipts record its `name`."""

    @property
    def name(self) -> str: ...

    def count(self, text: str) -> int: ...
