"""Turning texts into vectors."""

from collections.abc import Sequence
from typing import Protocol

from docgraph.model.question import EmbedderIdentity
from docgraph.model.vector import IntVector


class Embedder(Protocol):
    @property
    def identity(self) -> EmbedderIdentity: ...

    def embed(self, texts: Sequence[str]) -> list[IntVector]:
        """One integer vector per text; a text's vector does not depend on its companions."""
        ...
