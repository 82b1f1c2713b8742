"""Search by an HNSW index: it scales, and it may miss rows. Its plans say `exact: false`.

Which rows an index visits hangs on every row in it, also on those that the reader may not see. So
here, and only here, what is hidden can change what is found; what is found is still visible.
"""

import numpy as np
from psycopg.sql import SQL, Composed, Identifier, Literal

from docgraph.adapters.postgres.connection import Connection
from docgraph.adapters.postgres.database import PACKAGE
from docgraph.adapters.postgres.vectors import PgVector
from docgraph.adapters.sql.database import Row, named_queries
from docgraph.ports.indexes import ReadFilter, VectorHits
from docgraph.ports.search_reads import Level

BREADTH = 200  # candidates that the index keeps in view
MOST_SCANNED = 100_000  # rows after which it gives up looking for more that the reader may see


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

    def nearest(self, level: Level, vector: PgVector, most: int) -> list[Row]:
        """Rows, nodes, documents and exact products, nearest first."""
        bounds = {"breadth": str(BREADTH), "most": str(MOST_SCANNED)}
        self._connection.execute(self._sql["scan_this_way"], bounds)
        query = self._query(f"nearest_{level}", vector.values.size)
        found = self._connection.execute(query, {"asked": vector, "most": most}).fetchall()
        self._connection.execute(self._sql["scan_as_before"])
        return found


class HnswVectors:
    """Through the views, so that what is found is visible; scored by the stored integers."""

    exact = False

    def __init__(self, index: Hnsw) -> None:
        self._index = index

    def search(
        self, vector: tuple[int, ...], _reads: ReadFilter, *, level: Level, limit: int
    ) -> VectorHits:
        """The views are bound to the filter's reader already."""
        asked = PgVector(np.array(vector, dtype=np.int16))
        rows = self._index.nearest(level, asked, limit)
        return VectorHits(*np.array(rows, dtype=np.float64).reshape(-1, 4).T.astype(np.int64))
