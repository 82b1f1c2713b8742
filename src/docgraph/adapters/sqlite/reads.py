"""Reads on SQLite: one reader's windows onto search, graph and texts."""

import json
import sqlite3
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from docgraph.adapters.named_queries import named_queries
from docgraph.adapters.sqlite.connection import PACKAGE
from docgraph.adapters.sqlite.contents import contents
from docgraph.adapters.sqlite.graph import SqliteGraph
from docgraph.adapters.sqlite.search import SqliteSearch
from docgraph.adapters.sqlite.segment import Segment
from docgraph.adapters.sqlite.texts import SqliteTexts
from docgraph.adapters.sqlite.visible import Visible, embedder_of
from docgraph.model.plan import RetrievalPlan
from docgraph.model.question import EmbedderIdentity
from docgraph.model.scope import Scope

_SQL = named_queries(PACKAGE, "reads.sql")


class SqliteReads:
    """One reader's view, over one read transaction."""

    def __init__(
        self, connection: sqlite3.Connection, visible: Visible, segments: "SegmentCache"
    ) -> None:
        self._connection = connection
        self._visible = visible
        self._segments = segments
        self.graph = SqliteGraph(connection)

    @property
    def scope(self) -> Scope:
        return self._visible.scope

    @property
    def embedder(self) -> EmbedderIdentity | None:
        return embedder_of(self._visible)

    @property
    def search(self) -> SqliteSearch:
        branches = sorted(self._visible.snapshots)
        rows = self._connection.execute(
            _SQL["segments_of_branches"], {"branches": json.dumps(branches)}
        ).fetchall()
        segments = {number: self._segments.arrays(self._connection, number) for (number,) in rows}
        return SqliteSearch(self._connection, self._visible, segments, self._passages)

    def _passages(self, number: int, segment: Segment) -> npt.NDArray[np.int16]:
        return self._segments.passages(self._connection, number, segment)

    def texts(self, plan: RetrievalPlan) -> SqliteTexts:
        return SqliteTexts(self._connection, self._visible, plan)

    def counts(self) -> dict[str, int]:
        nodes = self._connection.execute(_SQL["count_nodes"]).fetchall()
        (chunks,) = self._connection.execute(_SQL["count_chunks"]).fetchone()
        return {
            **{f"nodes.{kind}": count for kind, count in nodes},
            "chunks": chunks,
        }

    def versions(self) -> dict[str, str]:
        return dict(self._connection.execute(_SQL["versions"]).fetchall())

    def contents(self) -> Iterator[tuple[str, str]]:
        return contents(self._connection)


class SegmentCache:
    """Segments are written once, so their arrays are kept by number. Rights are not in here."""

    def __init__(self) -> None:
        self._arrays: dict[int, Segment] = {}
        self._vectors: dict[int, npt.NDArray[np.int16]] = {}

    def keep(self, numbers: set[int]) -> None:
        """Lets go of segments that were merged away."""
        self._arrays = {n: kept for n, kept in self._arrays.items() if n in numbers}
        self._vectors = {n: kept for n, kept in self._vectors.items() if n in numbers}

    def arrays(self, connection: sqlite3.Connection, number: int) -> Segment:
        if number not in self._arrays:
            row = connection.execute(_SQL["segment_arrays"], {"segment": number}).fetchone()
            self._arrays[number] = Segment.from_bytes(row[0])
        return self._arrays[number]

    def passages(
        self, connection: sqlite3.Connection, number: int, segment: Segment
    ) -> npt.NDArray[np.int16]:
        """Chunk vectors are needed by the flat baseline alone, so they load on demand."""
        if number not in self._vectors:
            blobs = b"".join(
                connection.execute(_SQL["passage_vectors"], {"vector": vector}).fetchone()[0]
                for vector in segment.passage_vector.tolist()
            )
            width = segment.node_vectors.shape[1]
            self._vectors[number] = np.frombuffer(blobs, dtype="<i2").reshape(-1, width)
        return self._vectors[number]
