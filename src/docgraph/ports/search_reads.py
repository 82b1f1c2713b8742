"""What search may see: ids and numbers of visible rows, never text."""

from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from docgraph.model.scoring import RowGroups

Level = Literal["documents", "sections", "passages"]
NodeHandles = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Passages:
    """The visible passages, by place: their lengths in words, and whose they are."""

    lengths: npt.NDArray[np.float64]
    words: int
    owners: RowGroups

    @classmethod
    def of(cls, lengths: npt.NDArray[Any], owners: NodeHandles) -> "Passages":
        return cls(lengths.astype(np.float64), int(lengths.sum()), RowGroups(owners))


@dataclass(slots=True, eq=False)
class TermPostings:
    """In which visible passages a term stands, and how often in each.

    `weights` is what it adds to their scores, once somebody has worked that out: it hangs on
    these passages alone, so a store may hand it out again with them.
    """

    term: str
    places: npt.NDArray[np.integer[Any]]
    frequencies: npt.NDArray[np.integer[Any]]
    weights: npt.NDArray[np.float64] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """Statistics are of the visible passages alone."""

    passages: Passages
    terms: tuple[TermPostings, ...]


class SearchReads(Protocol):
    @property
    def exact(self) -> bool:
        """Whether `nearest` looks at every visible row; else it may miss some."""
        ...

    def nearest(
        self, vector: tuple[int, ...], *, over: Level, roll_up: bool, top: int
    ) -> tuple[tuple[str, int], ...]:
        """The `top` visible ids by exact integer dot product, best first, ties by id.

        `documents` scans the documents' summaries, `sections` those of every node, `passages`
        the chunks. Rolled up, a row speaks for its document, else for its own node; the best
        row counts.
        """
        ...

    def node_similarities(self, vector: tuple[int, ...], ids: tuple[str, ...]) -> dict[str, int]:
        """Dot products of visible nodes' summaries; other ids are absent."""
        ...

    def best_chunk_similarities(
        self, vector: tuple[int, ...], ids: tuple[str, ...], *, roll_up: bool
    ) -> dict[str, int]:
        """The highest dot product of each visible node's passages; other ids are absent.

        Rolled up, a document's are all passages in it, else a node's are its own.
        """
        ...

    def postings(self, terms: tuple[str, ...], *, roll_up: bool) -> Postings:
        """Visible postings; the owner is the document when rolled up, else the node."""
        ...

    def names(self, owners: NodeHandles) -> list[str]:
        """The ids behind owner handles, in the order given."""
        ...

    def definers(self, names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
        """Visible (name, node id) pairs for exactly these names, sorted."""
        ...

    def documents_titled(self, titles: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
        """Visible (title, document id) pairs for exactly these titles, sorted."""
        ...

    def kinds(self, ids: tuple[str, ...]) -> dict[str, str]:
        """Kinds of the visible nodes among these; other ids are absent."""
        ...


def similarity_of(
    vector: tuple[int, ...],
    ids: tuple[str, ...],
    window: SearchReads,
    *,
    passages: bool,
    roll_up: bool,
) -> dict[str, int]:
    """Dot products of best passages; of summaries where there is no passage, or none is wanted."""
    near = window.best_chunk_similarities(vector, ids, roll_up=roll_up) if passages else {}
    without = tuple(node for node in ids if node not in near)
    return near | window.node_similarities(vector, without) if without else near
