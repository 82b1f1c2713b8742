"""Indexes below the catalogue: they propose rows to one reader, and the catalogue decides.

Imported by adapters, wiring, docgraph.testing and plug-ins only: a stage gets windows that are
bound to one reader, and passes no filter itself.

A session needs a `VectorSearch`. Packed segments and pgvector are that alone: they change in the
transaction of the catalogue. A `VectorIndex` lies outside of it, and is maintained by its methods.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from docgraph.model.scoring import Bm25
from docgraph.model.vector import IntVectors
from docgraph.ports.search_reads import Level

Rows = npt.NDArray[np.int64]
CHUNK_ROWS = 2**20  # a chunk's row is its version times this, plus its position
FOREVER = 2**62  # the snapshot in which what still lives dies


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

    def joined(self, other: "VectorHits") -> "VectorHits":
        """Rows of both."""
        columns = ("row", "node", "document", "dot")
        return VectorHits(
            *(np.concatenate((getattr(self, one), getattr(other, one))) for one in columns)
        )


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


@dataclass(frozen=True, slots=True, eq=False)
class VectorRows:
    """Rows to index, column by column, of one tenant and one level, all of one width.

    All of a document version's rows of a level come together. A version lives in the snapshots of
    its branch from `born` up to, not including, `died`; a row number is never given to another row.
    """

    tenant: str
    level: Level
    row: Rows
    node: Rows
    document: Rows
    version: Rows
    branch: Rows
    born: Rows
    died: Rows
    access_class: Rows
    vectors: IntVectors

    @property
    def width(self) -> int:
        return int(self.vectors.shape[1])

    def __len__(self) -> int:
        return len(self.row)


class VectorIndex(VectorSearch, Protocol):
    """An index outside the catalogue's transaction.

    Every change grows the index, commits the catalogue, then shrinks the index. So for each reader
    it holds at least the rows that the catalogue shows; what it holds beyond them does no harm.
    Each method returns when its effect is durable and found by searches of every process, may be
    called again with the same values, and raises StoreError where the index cannot be used.
    """

    def add(self, rows: VectorRows) -> None:
        """Before the catalogue commits. Rows that these versions had in the level are replaced."""
        ...

    def retire(self, tenant: str, versions: Sequence[int], snapshot: int) -> None:
        """These document versions end with `snapshot`; FOREVER revives them."""
        ...

    def widen(self, tenant: str, versions: Sequence[int], access_class: int) -> None:
        """Readers of this class find them too; before the catalogue commits."""
        ...

    def narrow(self, tenant: str, versions: Sequence[int], access_class: int) -> None:
        """Readers of this class alone find them; after the catalogue has committed."""
        ...

    def remove(self, tenant: str, versions: Sequence[int]) -> None:
        """For good: afterwards no copy of their vectors is left."""
        ...

    def discard(self, tenant: str, branch: int, newest: int) -> None:
        """Removes rows of the branch that were born after `newest`: an ingest did not finish."""
        ...

    def rebuild(self, tenant: str, rows: Iterable[VectorRows]) -> None:
        """The tenant's rows become these alone; searches meanwhile find the old ones or these."""
        ...

    def check(self, tenant: str, expected: Mapping[int, int]) -> tuple[str, ...]:
        """Problems in words, given how many rows the catalogue has by branch, over all levels.

        Too few are a problem; more are not.
        """
        ...


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """`folder` lies beside a store that is a file; `values` is the block `index_settings`."""

    folder: Path | None = None
    values: Mapping[str, str | int | float | bool] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class VectorIndexKind:
    """What an entry point of the group `docgraph.vector_indexes` names."""

    name: str
    open: Callable[[IndexSettings], VectorIndex]


@dataclass(frozen=True, slots=True, eq=False)
class CatalogVectors:
    """Rows that a session shows, each with its node, its document and its stored vector."""

    row: Rows
    node: Rows
    document: Rows
    vectors: IntVectors


class CatalogRows(Protocol):
    """What one session's catalogue says of rows that an index proposes."""

    def visible(self, level: Level, rows: Rows, width: int) -> CatalogVectors:
        """Those of them that are of this level and width and that the session shows."""
        ...

    def has_rows(self, width: int) -> bool:
        """Whether the session shows any embedded document whose vectors have this width."""
        ...


class LexicalIndex(Protocol):
    def top(
        self, terms: tuple[str, ...], reads: ReadFilter, *, roll_up: bool, limit: int, bm25: Bm25
    ) -> tuple[Rows, npt.NDArray[np.float64]]:
        """Row groups with their best chunk's BM25 score over visible chunks alone, in any order.

        The `limit` best, and all that tie with the last of them. Rolled up, a chunk's owner is its
        document, else its node.
        """
        ...
