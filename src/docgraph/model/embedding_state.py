"""How far the documents that a reader sees are embedded."""

from dataclasses import dataclass
from typing import Literal

StateName = Literal["none", "partial", "complete"]
NOTHING: StateName = "none"
COMPLETE: StateName = "complete"


@dataclass(frozen=True, slots=True)
class EmbeddingState:
    """Counts of what is visible in a scope; without a document it is complete.

    A document is `embedded` if all of its nodes and chunks have vectors, and `summarized` if at
    least its summary has one.
    """

    documents: int = 0
    summarized: int = 0
    embedded: int = 0
    chunks: int = 0
    embedded_chunks: int = 0

    @property
    def name(self) -> StateName:
        if self.embedded == self.documents:
            return COMPLETE
        return "partial" if self.summarized else NOTHING

    def describe(self) -> str:
        """`partial: 120 of 4,023 documents, 900 of 71,589 chunks`, or the name alone."""
        if self.name != "partial":
            return self.name
        return (
            f"partial: {self.embedded:,} of {self.documents:,} documents, "
            f"{self.embedded_chunks:,} of {self.chunks:,} chunks"
        )


NOTHING_TO_EMBED = EmbeddingState()
