"""Search by an HNSW index: it scales, and it may miss rows. Its plans say `exact: false`.

Which rows an index visits hangs on every row in it, also on those that the reader may not see. So
here, and only here, what is hidden can change what is found; what is found is still visible.
"""

import numpy as np
from psycopg.sql import SQL, Composed, Identifier, Literal

from docgraph.adapters.indexes.packed_search import SqlSearch
from docgraph.adapters.indexes.segment_cache import SegmentCache
from docgraph.adapters.indexes.visible_rows import SeenRows
from docgraph.adapters.postgres.connection import Connection
from docgraph.adapters.postgres.database import PACKAGE
from docgraph.adapters.postgres.vectors import PgVector
from docgraph.adapters.sql.database import Queries, named_queries
from docgraph.adapters.sql.version_table import Visibility
from docgraph.ports.search_reads import Level

BREADTH = 200  # candidates that the index keeps in view
MOST_SCANNED = 100_000  # rows after which it gives up looking for more that the reader may see
_PER_OWNER = 4  # rows that are fetched for every owner that is wanted, to begin with


class Hnsw:
    """The index's statements on one connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._sql = named_queries(PACKAGE, "hnsw.sql")

    def _query(self, name: str, size: int, index: str = "") -> Composed:
        return SQL(self._sql[name]).format(size=Literal(size), index=Identifier(index or name))

    def make(self, size: int) -> None:
        """Where they are missing. The first time, this goes over everything there is; nobody who
        writes meanwhile has to wait."""
        for query, table in (("index_nodes", "document_nodes"), ("index_vectors", "vectors")):
            index = f"{table}_hnsw_{size}"
            found = self._connection.execute(self._sql["is_whole"], {"name": index}).fetchone()
            if found == (True,):
                continue
            if found is not None:
                self._connection.execute(self._query("drop_half", size, index))
            self._connection.execute(self._query(query, size, index))

    def nearest(self, over: Level, vector: PgVector, most: int) -> list[tuple[str, str, int]]:
        """Nodes, their documents, and exact dot products, nearest first."""
        bounds = {"breadth": str(BREADTH), "most": str(MOST_SCANNED)}
        self._connection.execute(self._sql["scan_this_way"], bounds)
        found = self._connection.execute(
            self._query(f"nearest_{over}", vector.values.size), {"asked": vector, "most": most}
        ).fetchall()
        self._connection.execute(self._sql["scan_as_before"])
        return [(node, document, round(score)) for node, document, score in found]


class HnswSearch(SqlSearch):
    """Words are searched as ever; only `nearest` goes by the index."""

    exact = False

    def __init__(
        self,
        sql: Queries,
        visible: Visibility,
        segments: SegmentCache,
        seen: SeenRows,
        *,
        index: Hnsw,
    ) -> None:
        super().__init__(sql, visible, segments, seen)
        self._index = index

    def nearest(
        self, vector: tuple[int, ...], *, over: Level, roll_up: bool, top: int
    ) -> tuple[tuple[str, int], ...]:
        asked, most = PgVector(np.array(vector, dtype=np.int16)), top * _PER_OWNER
        while True:
            rows = self._index.nearest(over, asked, most)
            best: dict[str, int] = {}
            for node, document, score in rows:
                owner = document if roll_up else node
                best[owner] = max(score, best.get(owner, score))
            if len(best) >= top or len(rows) < most:
                return tuple(sorted(best.items(), key=lambda item: (-item[1], item[0]))[:top])
            most *= _PER_OWNER
