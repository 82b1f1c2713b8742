"""A question with its vector: all that search needs, and what a plan records."""

from dataclasses import dataclass, field

MAX_DIMENSIONS = 16_000  # of vectors: as many as pgvector stores


@dataclass(frozen=True, slots=True)
class EmbedderIdentity:
    """The model that made a vector; vectors of different identities are never compared."""

    name: str
    digest: str
    dimensions: int

    def __str__(self) -> str:
        return f"{self.name} ({self.digest[:12]}, {self.dimensions} dimensions)"


@dataclass(frozen=True, slots=True)
class Question:
    """`vector` is empty where ids are given without a question."""

    text: str
    vector: tuple[int, ...] = field(repr=False)
    embedder: EmbedderIdentity
