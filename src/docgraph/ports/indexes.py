"""Indexes below the catalogue: they propose rows to one reader, and the catalogue decides.

Imported by adapters, wiring and docgraph.testing only: a stage gets windows that are bound to one
reader, and never passes a filter itself.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from docgraph.model.scoring import Bm25
from docgraph.ports.search_reads import Level

Rows = npt.NDArray[np.int64]
CHUNK_ROWS = 2**20  # a chunk's row is its version times this, plus its position


@dataclass(frozen=True, slots=True)
class ReadFilter:
    """All that decides what one reader sees; made once per session, from the principal."""

    tenant: str
    classes: frozenset[int]  # access classes that the principal may read
    snapshots: tuple[tuple[int, int], ...]  # (branch, snapshot), sorted: born <= snapshot < died
    revision: int  # the tenant's count of changes that it was made at


@dataclass(frozen=True, slots=True, eq=False)
class VectorHits:
    """Rows side by side, in any order.

    A row is a node's handle, or that of a chunk; `node` and `document` are handles of those that
    it belongs to; `dot` is the exact product with the question's vector.
    """

    row: Rows
    node: Rows
    document: Rows
    dot: Rows


class VectorSearch(Protocol):
    """Finds candidates. For every filter it holds at least the rows that the catalogue shows."""

    @property
    def exact(self) -> bool:
        """Whether `search` looks at every row that the filter lets through."""
        ...

    def search(
        self, vector: tuple[int, ...], reads: ReadFilter, *, level: Level, limit: int
    ) -> VectorHits:
        """The `limit` best rows, and with an exact index all that tie with the last of them.

        Fewer than `limit` mean that there are no more.
        """
        ...


class LexicalIndex(Protocol):
    def top(
        self, terms: tuple[str, ...], reads: ReadFilter, *, roll_up: bool, limit: int, bm25: Bm25
    ) -> tuple[Rows, npt.NDArray[np.float64]]:
        """The owners with their best chunk's BM25 score over visible chunks alone, in any order.

        The `limit` best, and all that tie with the last of them. Rolled up, a chunk's owner is its
        document, else its node.
        """
        ...
