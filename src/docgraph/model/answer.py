"""An answer: what a model said of a context, checked sentence by sentence."""

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
    document: str
    node: str
    title: str
    heading_path: tuple[str, ...]
    location: Location


@dataclass(frozen=True, slots=True)
class CitationFlag:
    """What a reader should know of a sentence: it cites nothing, or something that is not there.

    `number` is that of the citation. The last sentence of an answer that did not end by itself is
    `cut_off`; `reason` is then the server's word for it, such as `length`.
    """

    kind: FlagKind
    sentence: str
    number: int | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Generation:
    """What was asked of which model: the prompt by name and digest, tokens before it was sent.

    `counted` is `exact` with the model's own tokenizer, else `estimated`, with a margin. A server
    that knows no temperature or seed was asked without.
    """

    model: str
    prompt: str
    prompt_digest: str
    context_digest: str
    temperature: float | None
    seed: int | None
    prompt_tokens: int
    output_tokens: int
    window: int
    counted: Literal["exact", "estimated"]


@dataclass(frozen=True, slots=True)
class Answer:
    """`sources` are exactly the items that the text cites, in order of their numbers.

    Where no model spoke, `asking` is None and `reason` says why; of `no_model` the text is the
    context's own, and its sources are all of its evidence.
    """

    kind: Kind
    question: str
    text: str
    reason: str
    sources: tuple[CitedSource, ...]
    flags: tuple[CitationFlag, ...]
    asking: Generation | None

    @property
    def digest(self) -> str:
        return digest(self)
