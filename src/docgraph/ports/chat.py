"""Asking a language model: messages in, pieces of text out, as they come."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from docgraph.model.egress import Ceiling


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
class Said:
    """The end of an answer: `finish` is "stop", "length" if it was cut off at `max_tokens`,
    or another word of the server's."""

    text: str
    finish: str
    sampling: Sampling


class ChatModel(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def ceiling(self) -> Ceiling | None:
        """What may be sent to it; None if it runs in this process, and nothing is sent."""
        ...

    @property
    def window(self) -> int:
        """Tokens of prompt and answer together."""
        ...

    @property
    def exact_count(self) -> bool:
        """Whether texts are counted with the model's own tokenizer, or estimated with a margin."""
        ...

    def count(self, text: str) -> int:
        """Tokens of one message at most: its text, and what the server puts around it."""
        ...

    def say(
        self,
        messages: tuple[Message, ...],
        *,
        max_tokens: int,
        seed: int,
        heard: Callable[[str], None],
    ) -> Said:
        """`heard` gets each piece as it arrives: the pieces joined are the text that is said.

        Raises ModelError if there is no answer, or half of one: pieces may have been heard by then.
        """
        ...
