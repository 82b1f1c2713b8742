"""The embedded store: two ways in, `reads_as` and `writes`."""

import json
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import numpy.typing as npt
from filelock import FileLock, Timeout

from docgraph.adapters.named_queries import named_queries
from docgraph.adapters.sqlite.connection import PACKAGE, connect, create_or_check, plain_errors
from docgraph.adapters.sqlite.graph import SqliteGraph
from docgraph.adapters.sqlite.search import SqliteSearch
from docgraph.adapters.sqlite.segment import Segment
from docgraph.adapters.sqlite.texts import SqliteTexts
from docgraph.adapters.sqlite.visible import Rows, Visible, embedder_of, load_rows, see
from docgraph.adapters.sqlite.writes import SqliteWrites
from docgraph.model.access import Principal
from docgraph.model.errors import StoreBusy
from docgraph.model.plan import RetrievalPlan
from docgraph.model.question import EmbedderIdentity
from docgraph.model.scope import EVERYTHING, Scope, Wanted

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
        return embedder_of(self._connection, self._visible)

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
        edges = self._connection.execute(_SQL["count_edges"]).fetchall()
        (chunks,) = self._connection.execute(_SQL["count_chunks"]).fetchone()
        return {
            **{f"nodes.{kind}": count for kind, count in nodes},
            "chunks": chunks,
            **{f"edges.{relation}": count for relation, count in edges},
        }


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


class SqliteStore:
    def __init__(self, path: Path, *, now: Callable[[], str], wait: float = 600) -> None:
        """`wait` is how many seconds a second ingest queues behind a first."""
        create_or_check(path)
        self._path = path
        self._now = now
        self._wait = wait
        self._segments = SegmentCache()
        self._rows: Rows | None = None
        self._lock = threading.Lock()

    @contextmanager
    def reads_as(
        self, principal: Principal, wanted: Sequence[Wanted] = EVERYTHING
    ) -> Iterator[SqliteReads]:
        with plain_errors(self._path):
            connection = connect(self._path)
            try:
                connection.execute("BEGIN")
                visible = see(self._current(connection), principal, wanted)
                visible.guard(connection)
                yield SqliteReads(connection, visible, self._segments)
            finally:
                connection.close()

    def _current(self, connection: sqlite3.Connection) -> Rows:
        """The rows as of this transaction; kept until a publication or a rule changes them."""
        (changes,) = connection.execute("SELECT value FROM meta WHERE key = 'changes'").fetchone()
        with self._lock:
            if self._rows is None or self._rows.changes != changes:
                self._rows = load_rows(connection, changes)
                self._segments.keep({n for (n,) in connection.execute("SELECT id FROM segments")})
            return self._rows

    @contextmanager
    def writes(
        self, tenant: str, repository: str, branch: str, embedder: EmbedderIdentity
    ) -> Iterator[SqliteWrites]:
        lock = FileLock(f"{self._path}.ingest.lock")
        try:
            lock.acquire(timeout=self._wait)
        except Timeout as error:
            raise StoreBusy(
                f"{self._path}: another ingest has held this store for {self._wait:g} s; "
                "wait for it to end, then try again"
            ) from error
        try:
            with plain_errors(self._path):
                connection = connect(self._path)
                try:
                    yield SqliteWrites(connection, tenant, repository, branch, embedder, self._now)
                finally:
                    connection.close()
        finally:
            lock.release()
