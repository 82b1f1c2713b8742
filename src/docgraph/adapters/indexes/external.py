"""Searching an index outside the catalogue's transaction: every hit is checked and scored again."""

from itertools import chain

import numpy as np

from docgraph.adapters.sql.database import Queries, Row
from docgraph.adapters.sql.visibility import Visibility
from docgraph.model.errors import StoreError
from docgraph.model.scoring import distinct, top_rows
from docgraph.ports.indexes import (
    CHUNK_ROWS,
    CatalogRows,
    CatalogVectors,
    ReadFilter,
    Rows,
    VectorHits,
    VectorSearch,
)
from docgraph.ports.search_reads import Level

_AT_ONCE = 4_096  # rows of one query
_MORE = 4  # times the rows that are asked for, at first and whenever they were too few


class CheckedVectorIndex:
    """An index as one session searches it; an exact one gives the same rows as packed segments.

    The index may hold rows that ended, that the reader may not see, or that never were there.
    """

    def __init__(self, index: VectorSearch, catalog: CatalogRows) -> None:
        self._index = index
        self._catalog = catalog

    @property
    def exact(self) -> bool:
        return self._index.exact

    def search(
        self, vector: tuple[int, ...], reads: ReadFilter, *, level: Level, limit: int
    ) -> VectorHits:
        """More rows are asked for until those that are left out can score no better."""
        asked = limit * _MORE
        while True:
            found = self._index.search(vector, reads, level=level, limit=asked)
            hits = self._checked(found, vector, level)
            if len(found.row) < asked:
                self._check_exhausted(found, level, len(vector))
                return _best(hits, limit)
            if len(hits.row) >= limit:
                best = _best(hits, limit)
                if best.dot.min() > found.dot.min():
                    return best
            asked *= _MORE

    def _checked(self, found: VectorHits, vector: tuple[int, ...], level: Level) -> VectorHits:
        known = self._catalog.visible(level, distinct(found.row), len(vector))
        return VectorHits(known.row, known.node, known.document, _products(known, vector))

    def _check_exhausted(self, found: VectorHits, level: Level, width: int) -> None:
        """Every embedded document has a row, but need not have a chunk."""
        is_empty = not len(found.row) and level != "chunks"
        if is_empty and self.exact and self._catalog.has_rows(width):
            raise StoreError(
                "the vector index found nothing, though the store has documents; "
                "rebuild it with: docgraph reindex"
            )


def _products(known: CatalogVectors, vector: tuple[int, ...]) -> Rows:
    products: Rows = known.vectors.astype(np.int64) @ np.array(vector, dtype=np.int64)
    return products


def _best(hits: VectorHits, limit: int) -> VectorHits:
    best = top_rows(hits.dot, limit)
    return VectorHits(hits.row[best], hits.node[best], hits.document[best], hits.dot[best])


class SqlCatalogRows:
    """CatalogRows of one session. `sql` is reads.sql, guarded by what is visible."""

    def __init__(self, sql: Queries, visible: Visibility) -> None:
        self._sql = sql
        self._visible = visible

    def visible(self, level: Level, rows: Rows, width: int) -> CatalogVectors:
        pages = (rows[at : at + _AT_ONCE] for at in range(0, len(rows), _AT_ONCE))
        read = chain.from_iterable(self._read(level, page) for page in pages)
        found = [one for one in read if len(one[3]) == 2 * width]
        row, node, document = np.array([one[:3] for one in found], dtype=np.int64).reshape(-1, 3).T
        vectors = np.frombuffer(b"".join(one[3] for one in found), dtype="<i2")
        return CatalogVectors(row, node, document, vectors.reshape(-1, width))

    def _read(self, level: Level, rows: Rows) -> list[Row]:
        versions = distinct(rows // CHUNK_ROWS).tolist() if level == "chunks" else []
        return self._sql.rows(f"rows_of_{level}", rows=rows.tolist(), versions=versions)

    def has_rows(self, width: int) -> bool:
        snapshots = self._visible.rows.snapshots
        return bool(self._visible.embedded.any()) and any(
            snapshots[one].embedder.dimensions == width for one in self._visible.reads.snapshots
        )
