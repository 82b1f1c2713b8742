"""Which language models may be asked, and who hears what they say."""

from collections.abc import Callable
from dataclasses import dataclass

from docgraph.ports.chat import ChatModel


@dataclass(frozen=True, slots=True)
class ChatModels:
    """In the order in which they are tried. `heard` gets an answer piece by piece, as it comes."""

    models: tuple[ChatModel, ...]
    heard: Callable[[str], None]
