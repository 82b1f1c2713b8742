"""VectorSearch by pgvector, through the views: exact, or by an HNSW index.

An HNSW index scales, and may miss rows; its plans say `exact: false`. Which rows it visits hangs on
every row in it, also on those that the reader may not see. So there, and only there, what is hidden
can change what is found; what is found is still visible.
"""

import numpy as np
from psycopg.sql import SQL, Composed, Identifier, Literal

from docgraph.adapters.postgres.connection import Connection
from docgraph.adapters.postgres.database import PACKAGE
from docgraph.adapters.postgres.vectors import PgVector
from docgraph.adapters.sql.database import Row, named_queries
from docgraph.ports.indexes import ReadFilter, VectorHits
from docgraph.ports.search_reads import Level

BREADTH = 200  # candidates that an HNSW index keeps in view
MOST_SCANNED = 100_000  # rows after which it gives up looking for more that the reader may see
MAX_VECTOR = 2_000  # dimensions that an HNSW index takes of pgvector's type `vector`
MAX_HALFVEC = 4_000  # and of `halfvec`, whose numbers are rounded to 11 bits


def fits_index(dimensions: int) -> bool:
    """Where an HNSW index does not, every visible row is compared."""
    return dimensions <= MAX_HALFVEC


def _element(dimensions: int) -> str:
    """The type in an index. Only the order of the rows that it visits is by rounded numbers."""
    return "vector" if dimensions <= MAX_VECTOR else "halfvec"


class PgVectorIndex:
    """On one connection, whose views are bound to the reader."""

    def __init__(self, connection: Connection, *, exact: bool) -> None:
        self.exact = exact
        self._connection = connection
        self._sql = named_queries(PACKAGE, "pgvector.sql")

    def search(
        self, vector: tuple[int, ...], _reads: ReadFilter, *, level: Level, limit: int
    ) -> VectorHits:
        """Float4 counts these products in ones, so they are exact."""
        asked = PgVector(np.array(vector, dtype=np.int16))
        rows = self._nearest(level, asked, limit) if self.exact else self._scan(level, asked, limit)
        return VectorHits(*np.array(rows, dtype=np.float64).reshape(-1, 4).T.astype(np.int64))

    def _nearest(self, level: Level, vector: PgVector, most: int) -> list[Row]:
        size = vector.values.size
        query = SQL(self._sql[f"nearest_{level}"]).format(
            size=Literal(size),
            element=SQL("vector" if self.exact else _element(size)),
            unindexed=SQL("+ 0" if self.exact else ""),
            ties=SQL("WITH TIES" if self.exact else "ONLY"),
        )
        return self._connection.execute(query, {"asked": vector, "most": most}).fetchall()

    def _scan(self, level: Level, vector: PgVector, most: int) -> list[Row]:
        bounds = {"breadth": str(BREADTH), "most": str(MOST_SCANNED)}
        self._connection.execute(self._sql["enable_index_scan"], bounds)
        rows = self._nearest(level, vector, most)
        self._connection.execute(self._sql["reset_index_scan"])
        return rows

    def create(self, size: int) -> None:
        """HNSW indexes, where they are missing. The first time, this goes over everything there is;
        nobody who writes meanwhile has to wait."""
        for query, table in (
            ("create_node_index", "node_vectors"),
            ("create_vector_index", "vectors"),
        ):
            index = f"{table}_hnsw_{size}"
            found = self._connection.execute(
                self._sql["index_is_valid"], {"name": index}
            ).fetchone()
            if found == (True,):
                continue
            if found is not None:
                self._connection.execute(self._create("drop_invalid_index", size, index))
            self._connection.execute(self._create(query, size, index))

    def _create(self, name: str, size: int, index: str) -> Composed:
        element = _element(size)
        return SQL(self._sql[name]).format(
            size=Literal(size),
            index=Identifier(index),
            element=SQL(element),
            operators=SQL(f"{element}_ip_ops"),
        )
