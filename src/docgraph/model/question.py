"""A question, with its vector beside it so that a plan can be executed by itself."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class EmbedderIdentity:
    """Which model made the vectors; vectors of different identities are never compared."""

    name: str
    digest: str
    dimensions: int


@dataclass(frozen=True, slots=True)
class Question:
    """`vector` is empty when explicit ids are asked for without a question."""

    text: str
    vector: tuple[int, ...] = field(repr=False)
    embedder: EmbedderIdentity
