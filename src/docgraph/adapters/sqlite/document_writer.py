"""Writing document versions: nodes, chunks and halves of edges, many rows at a time."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from docgraph.adapters.named_queries import named_queries
from docgraph.adapters.sqlite.connection import FOREVER, PACKAGE
from docgraph.adapters.sqlite.segment import pack
from docgraph.adapters.sqlite.segment_writer import SegmentWriter
from docgraph.model.claim import Claim
from docgraph.model.document import Document
from docgraph.model.node import Location
from docgraph.ports.writes import EmbeddedDocument, text_key

_SQL = named_queries(PACKAGE, "writes.sql")


class DocumentWriter:
    """Each method runs inside its caller's transaction."""

    def __init__(self, connection: sqlite3.Connection, tenant: str, branch: int, born: int) -> None:
        self._connection = connection
        self._tenant = tenant
        self._branch = branch
        self._born = born
        self.segments = SegmentWriter(connection, branch, born)

    def put(self, documents: Sequence[EmbeddedDocument], number: Callable[[str], int]) -> None:
        """`number` gives a stored vector's number for its key."""
        (handle,) = self._connection.execute(_SQL["last_handle"]).fetchone()
        for found in documents:
            ordinal = self._document(found.document)
            handles = {
                node.id: handle + place for place, node in enumerate(found.document.nodes, start=1)
            }
            handle += len(handles)
            numbers = [number(key) for key in found.chunk_keys]
            self._nodes(ordinal, found, handles)
            self._chunks(ordinal, found.document, numbers)
            self._offers(ordinal, found.document)
            self.add_claims(ordinal, found.document.id, found.document.claims)
            self.segments.add(
                ordinal, found.document, handles, found.chunk_texts, numbers, found.node_vectors
            )

    def end(self, path: str) -> None:
        """The newest version of a path, if there is one, does not live in the new snapshot."""
        place = {"branch": self._branch, "path": path, "snapshot": self._born, "forever": FOREVER}
        self._connection.execute(_SQL["end_document"], place)

    def add_claims(self, ordinal: int, document: str, claims: Iterable[Claim]) -> None:
        """`document` is the id that every source begins with."""
        cut = len(document)
        self._connection.executemany(
            _SQL["add_claim"],
            [
                (
                    *(ordinal, c.relation, c.start, c.key, c.inner, c.source[cut:], self._branch),
                    *(c.end, c.line, c.says, c.miner, c.strict, c.rank, c.near, c.reported),
                )
                for c in claims
            ],
        )

    def _document(self, document: Document) -> int:
        self.end(document.path)
        place = {"tenant": self._tenant, "hash": text_key(document.text)}
        self._connection.execute(_SQL["add_content"], {**place, "text": document.text})
        (content,) = self._connection.execute(_SQL["content_id"], place).fetchone()
        row = {
            "branch": self._branch,
            "path": document.path,
            "id": document.id,
            "content": content,
            "fingerprint": document.fingerprint,
            "opaque": document.opaque,
            "source_lines": json.dumps(document.source_lines) if document.source_lines else "",
            "born": self._born,
            "forever": FOREVER,
        }
        ordinal = self._connection.execute(_SQL["add_document"], row).lastrowid
        assert ordinal is not None
        return ordinal

    def _nodes(self, ordinal: int, found: EmbeddedDocument, handles: Mapping[str, int]) -> None:
        self._connection.executemany(
            _SQL["add_node"],
            [
                (
                    *(handles[node.id], ordinal, node.id, node.kind, node.title, node.summary),
                    *(node.parent, *_span(node.source), pack(vector, np.int16)),
                )
                for node, vector in zip(found.document.nodes, found.node_vectors, strict=True)
            ],
        )

    def _chunks(self, ordinal: int, document: Document, vectors: Sequence[int]) -> None:
        self._connection.executemany(
            _SQL["add_chunk"],
            [
                (
                    *(ordinal, chunk.position, chunk.id, chunk.node),
                    json.dumps(chunk.heading_path, ensure_ascii=False),
                    *_span(chunk.location),
                    vector,
                )
                for chunk, vector in zip(document.chunks, vectors, strict=True)
            ],
        )

    def _offers(self, ordinal: int, document: Document) -> None:
        cut = len(document.id)
        self._connection.executemany(
            _SQL["add_offer"],
            [(self._branch, o.key, ordinal, o.node[cut:], o.rank) for o in document.offers],
        )


def _span(location: Location) -> tuple[int | None, ...]:
    return (
        location.first_line,
        location.last_line,
        location.start,
        location.end,
        location.page,
    )
