"""CatalogRows of one session: what its views show of rows that an external index proposes."""

from itertools import chain

import numpy as np

from docgraph.adapters.sql.database import Queries, Row
from docgraph.adapters.sql.version_table import Visibility
from docgraph.model.scoring import distinct
from docgraph.ports.indexes import CHUNK_ROWS, CatalogVectors, Rows
from docgraph.ports.search_reads import Level

_AT_ONCE = 4_096  # rows of one query


class SqlCatalogRows:
    """`sql` is reads.sql, guarded by what is visible."""

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
        versions = distinct(rows // CHUNK_ROWS).tolist() if level == "passages" else []
        return self._sql.rows(f"rows_of_{level}", rows=rows.tolist(), versions=versions)

    def has_rows(self, width: int) -> bool:
        snapshots = self._visible.rows.snapshots
        return bool(self._visible.mask.any()) and any(
            snapshots[one].embedder.dimensions == width for one in self._visible.reads.snapshots
        )
