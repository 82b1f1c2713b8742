"""The context for a language model: its items, each with the reasons for it."""

from dataclasses import dataclass
from typing import Protocol

from docgraph.model.digest import digest
from docgraph.model.node import Location


@dataclass(frozen=True, slots=True)
class Reasons:
    """Why an item is in the context: rule (seed or edge), access decision, budget decision."""

    rule: str
    access: str
    budget: str


@dataclass(frozen=True, slots=True)
class ContextItem:
    """`layer` is `concept` (number 0) or `evidence`, which can be cited as `[number]`.

    `title` is that of the planned node; `labels` and `level` are those of its document's access
    rule.
    """

    number: int
    layer: str
    document: str
    node: str
    id: str
    title: str
    heading_path: tuple[str, ...]
    location: Location
    text: str
    tokens: int
    labels: frozenset[str]
    level: int
    why: Reasons


@dataclass(frozen=True, slots=True)
class DocumentShare:
    """The items of one document, and their tokens."""

    document: str
    items: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Omission:
    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Context:
    """`text` is what is sent to the model; `tokens` is counted on exactly that text."""

    question: str
    text: str
    tokens: int
    max_tokens: int
    tokenizer: str
    items: tuple[ContextItem, ...]
    documents: tuple[DocumentShare, ...]
    omitted: tuple[Omission, ...]
    reason: str

    @property
    def digest(self) -> str:
        return digest(self)


class TokenCounter(Protocol):
    """Counts the tokens of a text, without state. Receipts record its `name`."""

    @property
    def name(self) -> str: ...

    def count(self, text: str) -> int: ...
