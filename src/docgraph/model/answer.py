"""A model's answer to a question, with its citations checked sentence by sentence."""

from dataclasses import dataclass
from typing import Literal

from docgraph.model.digest import digest
from docgraph.model.node import Location

Kind = Literal["answered", "not_enough_evidence", "no_model", "refused"]
FlagKind = Literal["uncited", "no_such_item", "cut_off"]


@dataclass(frozen=True, slots=True)
class CitedSource:
    """A cited item of the context, and where it can be opened."""

    number: int
    id: str
    document_id: str
    node: str
    title: str
    heading_path: tuple[str, ...]
    location: Location


@dataclass(frozen=True, slots=True)
class CitationFlag:
    """A problem with a sentence: it cites nothing, or an item (`number`) that does not exist.

    The last sentence of an answer that did not end by itself is `cut_off`; `reason` is then the
    server's finish reason, such as `length`.
    """

    kind: FlagKind
    sentence: str
    number: int | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Generation:
    """The request to the model: prompt by name and digest, its tokens, sampling options.

    `counted` is `exact` with the model's own tokenizer, else `estimated`, with a margin.
    Temperature and seed are None where the server does not support them.
    """

    model: str
    prompt: str
    prompt_digest: str
    context_digest: str
    temperature: float | None
    seed: int | None
    prompt_tokens: int
    output_tokens: int
    context_window: int
    counted: Literal["exact", "estimated"]


@dataclass(frozen=True, slots=True)
class Answer:
    """`sources` are exactly the items that the text cites, in order of their numbers.

    Without a model's answer `generation` is None and `reason` says why; for `no_model` the text is
    the context's own, and its sources are all of its evidence.
    """

    kind: Kind
    question: str
    text: str
    reason: str
    sources: tuple[CitedSource, ...]
    flags: tuple[CitationFlag, ...]
    generation: Generation | None

    @property
    def digest(self) -> str:
        return digest(self)
