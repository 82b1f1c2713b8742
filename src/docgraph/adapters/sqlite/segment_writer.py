"""Building segments: words are counted as documents come in, and packed when there are enough."""

import json
import sqlite3
from collections.abc import Iterator

import numpy as np

from docgraph.adapters.named_queries import named_queries
from docgraph.adapters.sqlite.connection import PACKAGE
from docgraph.adapters.sqlite.postings import Packed, PostingsWriter, merged
from docgraph.adapters.sqlite.segment import Segment
from docgraph.model.document import Document
from docgraph.model.vector import IntVector

_SQL = named_queries(PACKAGE, "writes.sql")
FULL = 10_000  # passages; bounds the memory an ingest needs
MOST_SMALL = 4


class SegmentWriter:
    def __init__(self, connection: sqlite3.Connection, branch: int, born: int) -> None:
        self._connection = connection
        self._branch = branch
        self._born = born
        self._clear()

    def _clear(self) -> None:
        self._passages: list[tuple[int, int, int, int]] = []
        self._nodes: list[tuple[int, int, int]] = []
        self._vectors: list[IntVector] = []
        self._postings = PostingsWriter()

    def add(
        self,
        ordinal: int,
        document: Document,
        handles: dict[str, int],
        indexed: tuple[str, ...],
        vector_ids: list[int],
        node_vectors: tuple[IntVector, ...],
    ) -> None:
        """`indexed` holds each chunk's words with title and headings in front."""
        root = handles[document.id]
        for chunk, text, vector in zip(document.chunks, indexed, vector_ids, strict=True):
            self._postings.add(text)
            self._passages.append((ordinal, handles[chunk.node], root, vector))
        self._nodes.extend((ordinal, handles[node.id], root) for node in document.nodes)
        self._vectors.extend(node_vectors)
        if len(self._passages) >= FULL:
            self.flush()

    def flush(self) -> None:
        if not self._nodes:
            return
        lengths, packed = self._postings.packed()
        *places, vectors = np.array(self._passages, dtype=np.int64).reshape(-1, 4).T
        nodes = np.array(self._nodes, dtype=np.int64).T
        columns = map(np.ascontiguousarray, (*places, lengths, vectors, *nodes))
        segment = Segment.of([*columns, np.array(self._vectors, dtype=np.int16)])
        _store(self._connection, self._branch, self._born, segment, packed)
        self._clear()

    def merge(self) -> None:
        """Once there are too many small ones they become one; what they hold stays the same.

        A full segment is left alone, so that no merge needs more memory than a few of them.
        """
        listed = self._connection.execute(
            _SQL["segments_of_branch"], {"branch": self._branch}
        ).fetchall()
        numbers = [number for number, passages, _ in listed if passages < FULL // 2]
        if len(numbers) <= MOST_SMALL:
            return
        numbers = numbers[: MOST_SMALL + 1]
        parts = {number: self._arrays(number) for number in numbers}
        offsets, total = {}, 0
        for number, part in parts.items():
            offsets[number] = total
            total += len(part.passage_document)
        rows = self._connection.execute(
            _SQL["postings_of_segments"], {"segments": json.dumps(numbers)}
        ).fetchall()
        packed = merged(rows, offsets)
        joined = Segment.joined(list(parts.values()))
        _store(self._connection, self._branch, self._born, joined, packed)
        for query in ("drop_postings", "drop_segments"):
            self._connection.execute(_SQL[query], {"segments": json.dumps(numbers)})

    def _arrays(self, number: int) -> Segment:
        row = self._connection.execute(_SQL["arrays_of_segment"], {"segment": number}).fetchone()
        return Segment.from_bytes(row[0])


def _store(
    connection: sqlite3.Connection,
    branch: int,
    born: int,
    segment: Segment,
    packed: Iterator[Packed],
) -> None:
    cursor = connection.execute(
        _SQL["add_segment"],
        {
            "branch": branch,
            "born": born,
            "passages": len(segment.passage_document),
            "nodes": len(segment.node_document),
            "arrays": segment.to_bytes(),
        },
    )
    number = cursor.lastrowid
    connection.executemany(
        _SQL["add_postings"],
        ((number, term, passages, frequencies) for term, passages, frequencies in packed),
    )
