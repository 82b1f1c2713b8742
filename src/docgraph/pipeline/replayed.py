"""What came of a replay: the same bytes, or the first step that differs and what changed."""

from dataclasses import dataclass
from typing import Literal

from docgraph.pipeline.retrieval import Retrieval

Changed = Literal["pipeline", "embedder", "rights", "no longer available", "content"]


@dataclass(frozen=True, slots=True)
class Difference:
    """The first step that differs, by its place from 1 on, and what changed."""

    place: int
    step: str
    changed: Changed
    why: str


@dataclass(frozen=True, slots=True)
class Replayed:
    """Either `again` gave the same bytes, or `difference` tells why not.

    `steps` is how many were recorded, without the answer's. `notes` are no differences.
    """

    steps: int
    again: Retrieval | None
    difference: Difference | None
    notes: tuple[str, ...]

    @property
    def same(self) -> bool:
        return self.difference is None
