"""Building segments: words are counted as documents come in, and packed when there are enough."""

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import groupby

import numpy as np

from docgraph.adapters.named_queries import named_queries
from docgraph.adapters.sqlite.connection import PACKAGE
from docgraph.adapters.sqlite.segment import Segment, pack, unpack
from docgraph.model.document import Document
from docgraph.model.vector import IntVector
from docgraph.model.words import words

_SQL = named_queries(PACKAGE, "writes.sql")
FULL = 20_000  # passages; bounds the memory an ingest needs
MOST_SEGMENTS = 8


class SegmentWriter:
    def __init__(self, connection: sqlite3.Connection, branch: int, born: int) -> None:
        self._connection = connection
        self._branch = branch
        self._born = born
        self._clear()

    def _clear(self) -> None:
        self._passages: list[tuple[int, int, int, int, int]] = []
        self._nodes: list[tuple[int, int, int]] = []
        self._vectors: list[IntVector] = []
        self._postings: defaultdict[str, tuple[list[int], list[int]]] = defaultdict(
            lambda: ([], [])
        )

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
            counted = Counter(words(text))
            place = len(self._passages)
            for term, frequency in counted.items():
                places, frequencies = self._postings[term]
                places.append(place)
                frequencies.append(frequency)
            length = sum(counted.values())
            self._passages.append((ordinal, handles[chunk.node], root, length, vector))
        for node, summary in zip(document.nodes, node_vectors, strict=True):
            self._nodes.append((ordinal, handles[node.id], root))
            self._vectors.append(summary)
        if len(self._passages) >= FULL:
            self.flush()

    def flush(self) -> None:
        if not self._nodes:
            return
        passages = np.array(self._passages, dtype=np.int64).reshape(-1, 5).T
        nodes = np.array(self._nodes, dtype=np.int64).T
        columns = [np.ascontiguousarray(column) for column in (*passages, *nodes)]
        segment = Segment.of([*columns, np.vstack(self._vectors).astype(np.int16)])
        packed = ((t, pack(p), pack(f)) for t, (p, f) in sorted(self._postings.items()))
        _store(self._connection, self._branch, self._born, segment, packed)
        self._clear()

    def merge(self) -> None:
        """Once there are too many, the smaller ones become one; what they hold stays the same."""
        listed = self._connection.execute(
            _SQL["segments_of_branch"], {"branch": self._branch}
        ).fetchall()
        if len(listed) <= MOST_SEGMENTS:
            return
        numbers = [number for number, _, _ in listed[: len(listed) - MOST_SEGMENTS // 2]]
        parts = {number: self._arrays(number) for number in numbers}
        offsets, total = {}, 0
        for number, part in parts.items():
            offsets[number] = total
            total += len(part.passage_document)
        rows = self._connection.execute(
            _SQL["postings_of_segments"], {"segments": json.dumps(numbers)}
        ).fetchall()
        packed = _merged(rows, offsets)
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
    packed: Iterator[tuple[str, bytes, bytes]],
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
        (
            {"term": term, "segment": number, "passages": passages, "frequencies": frequencies}
            for term, passages, frequencies in packed
        ),
    )


def _merged(
    rows: list[tuple[str, int, bytes, bytes]], offsets: dict[int, int]
) -> Iterator[tuple[str, bytes, bytes]]:
    order = {number: place for place, number in enumerate(offsets)}
    for term, group in groupby(rows, key=lambda row: row[0]):
        ordered = sorted(group, key=lambda row: order[row[1]])
        passages = np.concatenate([unpack(row[2]) + offsets[row[1]] for row in ordered])
        frequencies = np.concatenate([unpack(row[3]) for row in ordered])
        yield term, pack(passages), pack(frequencies)
