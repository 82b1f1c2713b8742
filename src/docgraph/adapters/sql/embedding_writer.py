"""Writing what is embedded of a document: vectors of its nodes and chunks, and a row for it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from docgraph.adapters.sql.checksums import row_checksum
from docgraph.adapters.sql.database import DamagedRow, Database, Row, single_row
from docgraph.adapters.sql.document_rows import Values
from docgraph.adapters.sql.pending_snapshot import PendingSnapshot
from docgraph.adapters.sql.stored_json import load_values
from docgraph.model.document import Chunk
from docgraph.model.embedding_state import EmbeddingState
from docgraph.model.node import DocumentNode, Location
from docgraph.model.vector import IntVector
from docgraph.ports.source_states import BranchKey
from docgraph.ports.writes import EmbeddedDocument, PendingDocument, StoredTexts


class StoredVectors(Protocol):
    """Vectors of chunk texts in one space, by `text_key`."""

    def find(self, keys: Sequence[str]) -> dict[str, IntVector]: ...

    def add(self, vectors: Mapping[str, IntVector]) -> None: ...

    def numbers(self, keys: Iterable[str]) -> dict[str, int]:
        """Those that chunk rows refer to; most were found or added a moment ago."""
        ...


@dataclass(frozen=True, slots=True)
class NewEmbedding:
    """`life` has version, branch, snapshots and access class; handles are in the order of nodes."""

    life: Row
    handles: tuple[int, ...]
    nodes: tuple[IntVector, ...]
    chunk_keys: tuple[str, ...]


class SqlEmbeddingWriter:
    def __init__(self, pending: PendingSnapshot, vectors: StoredVectors) -> None:
        self._pending = pending
        self._sql = pending.database.queries("writes.sql")
        self._vectors = vectors
        self.find = vectors.find
        self.add = vectors.add

    def pending(self) -> tuple[PendingDocument, ...]:
        rows = self._sql.rows("pending_documents", **self._pending.parameters)
        return tuple(
            PendingDocument(version, path, priority, texts, size, bool(embedded))
            for version, path, priority, texts, size, embedded in rows
        )

    def state(self) -> EmbeddingState:
        row = self._sql.row("embedding_counts", branch=self._pending.branch)
        return EmbeddingState(*single_row(row))

    def texts(self, versions: Sequence[int]) -> tuple[StoredTexts, ...]:
        which = {"versions": list(versions)}
        nodes: defaultdict[int, list[DocumentNode]] = defaultdict(list)
        chunks: defaultdict[int, list[Chunk]] = defaultdict(list)
        rows = self._sql.rows("texts_of_versions", **which)
        texts = {number: (path, text) for number, path, text in rows}
        for number, _, *row in self._sql.rows("nodes_of_versions", **which):
            nodes[number].append(_node(texts[number][0], row))
        for number, *row in self._sql.rows("chunks_of_versions", **which):
            chunks[number].append(_chunk(*texts[number], row))
        return tuple(
            StoredTexts(number, tuple(nodes[number]), tuple(chunks[number]))
            for number in sorted(texts)
        )

    def summaries(self, versions: Sequence[int]) -> dict[int, IntVector]:
        rows = self._sql.rows("summary_vectors_of_versions", versions=list(versions))
        return {version: np.frombuffer(vector, dtype="<i2") for version, vector in rows}

    def add_summaries(self, vectors: Mapping[int, IntVector]) -> None:
        pack = self._pending.database.vector
        with self._pending.batch():
            lives, handles = self._unembedded(list(vectors), complete=0)
            rows: list[Values] = [
                {
                    "version": version,
                    "access_class": life[4],
                    "handle": handles[version][0],
                    "vector": pack(vectors[version]),
                }
                for version, life in lives.items()
            ]
            self._sql.many("add_summary_vector", rows)
            self._sql.many(
                "add_embedding", [_embedding(0, row, [("summary_vectors", row)]) for row in rows]
            )

    def add_documents(self, documents: Sequence[EmbeddedDocument]) -> None:
        self._vectors.add({key: vector for one in documents for key, vector in one.chunks})
        with self._pending.batch():
            lives, handles = self._unembedded([one.version for one in documents], complete=1)
            self.write_complete(
                [
                    NewEmbedding(
                        lives[one.version],
                        handles[one.version],
                        one.nodes,
                        tuple(key for key, _ in one.chunks),
                    )
                    for one in documents
                    if one.version in lives
                ]
            )

    def _unembedded(
        self, versions: Sequence[int], *, complete: int
    ) -> tuple[dict[int, Row], dict[int, tuple[int, ...]]]:
        """By version: its life, and the handles of its nodes."""
        place = self._pending.parameters
        found = self._sql.rows(
            "unembedded_versions", **place, versions=list(versions), complete=complete
        )
        which = {"versions": [version for (version,) in found]}
        lives = {row[0]: row for row in self._sql.rows("lives_of_versions", **which)}
        handles: defaultdict[int, list[int]] = defaultdict(list)
        for version, handle, *_ in self._sql.rows("nodes_of_versions", **which):
            handles[version].append(handle)
        return lives, {version: tuple(own) for version, own in handles.items()}

    def write_complete(self, documents: Sequence[NewEmbedding]) -> None:
        """In the transaction of its caller; chunks' vectors were added before."""
        if not documents:
            return
        pack = self._pending.database.vector
        numbers = self._vectors.numbers(key for one in documents for key in one.chunk_keys)
        nodes: list[Values] = []
        chunks: list[Values] = []
        embeddings: list[Values] = []
        for one in documents:
            version, *_, access_class = one.life
            if len(one.handles) != len(one.nodes):
                raise DamagedRow("a document has other nodes than were embedded")
            key: Values = {"version": version, "access_class": access_class}
            own = [
                {**key, "handle": handle, "vector": pack(vector)}
                for handle, vector in zip(one.handles, one.nodes, strict=True)
            ]
            of_chunks = [
                {**key, "position": at, "vector_id": numbers[hash_], "hash": bytes.fromhex(hash_)}
                for at, hash_ in enumerate(one.chunk_keys)
            ]
            nodes += own
            chunks += of_chunks
            parts = [("node_vectors", row) for row in own]
            parts += [("chunk_vectors", row) for row in of_chunks]
            embeddings.append(_embedding(1, key, parts))
        self._sql.many("add_node_vector", nodes)
        self._sql.many("add_chunk_vector", chunks)
        self._sql.many("add_embedding", embeddings)
        self._pending.index.add([one.life for one in documents])


def unembedded_branches(database: Database) -> tuple[BranchKey, ...]:
    """Of all tenants."""
    rows = database.queries("writes.sql").rows("unembedded_branches")
    return tuple(BranchKey(*row) for row in rows)


def _embedding(complete: int, key: Values, parts: Iterable[tuple[str, Values]]) -> Values:
    """With the checksum of all rows of the vectors."""
    row: Values = {**key, "is_complete": complete}
    own = row_checksum("document_embeddings", row)
    row["checksum"] = own + sum(row_checksum(table, part) for table, part in parts)
    return row


def _node(path: str, row: Sequence[Any]) -> DocumentNode:
    id_, kind, title, summary, parent, first, last, start, stop, page, signature = row
    location = Location(path, first, last, start, stop, page)
    return DocumentNode(id_, kind, title, summary, parent, location, signature)


def _chunk(path: str, text: str, row: Sequence[Any]) -> Chunk:
    position, id_, node, headings, first, last, start, stop, page = row
    return Chunk(
        id=id_,
        node=node,
        position=position,
        heading_path=tuple(load_values(headings, str)),
        text=text[start:stop],
        location=Location(path, first, last, start, stop, page),
    )
