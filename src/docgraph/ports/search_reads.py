"""What search may see: ids and numbers of visible rows, never text."""

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

Over = Literal["documents", "sections", "passages"]
Handles = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TermPostings:
    """One term's visible passages, side by side: handle, owner handle, frequency, length."""

    term: str
    passages: Handles
    owners: Handles
    frequencies: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Postings:
    """Visible postings, with the statistics of the visible passages alone."""

    passages: int
    words: int
    terms: tuple[TermPostings, ...]


class SearchReads(Protocol):
    @property
    def exact(self) -> bool:
        """Whether `nearest` looks at every visible row; else it may miss some."""
        ...

    def nearest(
        self, vector: tuple[int, ...], *, over: Over, roll_up: bool, top: int
    ) -> tuple[tuple[str, int], ...]:
        """The `top` visible ids by exact integer dot product, best first, ties by id.

        `documents` scans the documents' summaries, `sections` those of every node, `passages`
        the chunks. Rolled up, a row speaks for its document, else for its own node; the best
        row counts.
        """
        ...

    def similarities(self, vector: tuple[int, ...], ids: tuple[str, ...]) -> dict[str, int]:
        """Dot products of visible nodes' summaries; other ids are absent."""
        ...

    def postings(self, terms: tuple[str, ...], *, roll_up: bool) -> Postings:
        """Visible postings; the owner is the document when rolled up, else the node."""
        ...

    def names(self, owners: Handles) -> list[str]:
        """The ids behind owner handles, in the order given."""
        ...

    def definers(self, names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
        """Visible (name, node id) pairs for exactly these names, sorted."""
        ...

    def kinds(self, ids: tuple[str, ...]) -> dict[str, str]:
        """Kinds of the visible nodes among these; other ids are absent."""
        ...
