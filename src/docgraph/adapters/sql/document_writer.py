"""Writing documents: their text, nodes, chunks, definitions and references, many rows at a time."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from docgraph.adapters.sql.access_writer import SqlAccessWriter
from docgraph.adapters.sql.database import DamagedRow, next_page
from docgraph.adapters.sql.document_rows import DocumentRows, Values
from docgraph.adapters.sql.embedding_writer import NewEmbedding, SqlEmbeddingWriter
from docgraph.adapters.sql.pending_snapshot import PendingSnapshot, set_valid_to
from docgraph.adapters.sql.stored_json import load_tuples
from docgraph.ports.indexes import FOREVER
from docgraph.ports.writes import BuiltDocument, CurrentText, StoredDocument, text_key

_PAGE = 500  # texts that are read at once

# The table that a query adds to, in the order in which they run.
_TABLES = MappingProxyType(
    {
        "add_document": "documents",
        "add_node": "document_nodes",
        "add_chunk": "vector_chunks",
        "add_definition": "definitions",
        "add_reference": "node_references",
    }
)


class SqlDocumentWriter:
    """With another embedder than the newest snapshot's, every stored document counts as changed.
    `by_class` packs documents of one access class alone into a segment.
    """

    def __init__(
        self,
        pending: PendingSnapshot,
        access: SqlAccessWriter,
        embeddings: SqlEmbeddingWriter,
        *,
        same_embedder: bool,
        by_class: bool,
    ) -> None:
        self._pending = pending
        self._sql = pending.database.queries("writes.sql")
        self._access = access
        self._embeddings = embeddings
        self._same_embedder = same_embedder
        self._by_class = by_class

    def stored(self) -> dict[str, StoredDocument]:
        rows = self._sql.rows("stored_documents", **self._pending.parameters)
        return {
            path: StoredDocument(path, fingerprint if self._same_embedder else "", content)
            for path, fingerprint, content in rows
        }

    def current_texts(self, *, new: bool) -> Iterator[CurrentText]:
        after = ""
        while page := self._sql.rows(
            "current_texts", **self._pending.parameters, fresh=int(new), after=after, most=_PAGE
        ):
            for path, id_, kind, title, text, lines in page:
                pairs = load_tuples(lines, int, int) if lines else ()
                yield CurrentText(path, id_, kind, title, text, tuple(pairs))
            after = next_page(after, page[-1][0])

    def existing_nodes(self, ids: Iterable[str]) -> frozenset[str]:
        rows = self._sql.rows("current_nodes", **self._pending.parameters, ids=sorted(set(ids)))
        return frozenset(row[0] for row in rows)

    def remove(self, paths: Iterable[str]) -> None:
        removed = list(paths)
        with self._pending.batch():
            self._end(removed)
        self._pending.changed |= bool(removed)

    def add(self, documents: Sequence[BuiltDocument]) -> None:
        """Of two with one path, the last counts."""
        documents = list({built.document.path: built for built in documents}.values())
        plain = [built.document for built in documents]
        with self._pending.batch():
            self._write(list(self._rows(documents, self._access.classes(plain))))
        self._access.add(plain)
        self._pending.changed = True

    def _rows(
        self,
        documents: Sequence[BuiltDocument],
        classes: Mapping[str, int],
    ) -> Iterator[DocumentRows]:
        """`classes` are the documents' access classes by path, for a store whose rows have them."""
        versions = self._next("next_versions", len(documents))
        nodes = sum(len(built.document.nodes) for built in documents)
        handles = iter(self._next("next_handles", nodes))
        for built, version in zip(documents, versions, strict=True):
            class_ = classes.get(built.document.path, 0)
            key: Values = {
                "version": version,
                "branch": self._pending.branch,
                "access_class": class_ if self._by_class else -1,  # until it is published
            }
            named = {node.id: next(handles) for node in built.document.nodes}
            yield DocumentRows(built, version, class_, key, named)

    def _next(self, query: str, many: int) -> list[int]:
        """Numbers that no other row has."""
        numbers = [number for (number,) in self._sql.rows(query, many=many)]
        if len(numbers) != many:
            raise DamagedRow("the last number of a row is not one that was given")
        return numbers

    def _write(self, documents: Sequence[DocumentRows]) -> None:
        contents = self._add_contents([one.built.document.text for one in documents])
        self._end(one.built.document.path for one in documents)
        snapshot = self._pending.number
        added: dict[str, list[Values]] = {table: [] for table in _TABLES.values()}
        for one in documents:
            parts = one.parts()
            added["documents"].append(one.document(contents, snapshot, parts))
            for table, rows in parts.items():
                added[table] += rows
        for query, table in _TABLES.items():
            self._sql.many(query, added[table])
        self._pending.index.wrote({one.version: one.access_class for one in documents})
        self._embeddings.write_complete(
            [
                NewEmbedding(
                    (one.version, self._pending.branch, snapshot, FOREVER, one.access_class),
                    tuple(one.handles.values()),
                    one.built.node_vectors,
                    one.built.chunk_keys(),
                )
                for one in documents
                if one.built.node_vectors
            ]
        )
        for one in documents:
            self._pending.segments.add(
                one.version,
                one.built.document,
                one.handles,
                one.built.chunk_texts,
                group=one.access_class if self._by_class else 0,
            )

    def _end(self, paths: Iterable[str]) -> None:
        """The newest versions of paths, where there are some, end with the new snapshot."""
        place = {"branch": self._pending.branch, "forever": FOREVER}
        states = self._sql.rows("current_states", **place, paths=list(paths))
        set_valid_to(self._sql, states, self._pending.number)

    def _add_contents(self, texts: Iterable[str]) -> dict[str, int]:
        """The texts' numbers by key; each text is stored once."""
        tenant = self._pending.tenant
        by_key = {text_key(text): text for text in texts}
        rows = ({"tenant": tenant, "hash": key, "text": by_key[key]} for key in sorted(by_key))
        self._sql.many("add_content", rows)
        stored = self._sql.rows("content_ids", tenant=tenant, hashes=list(by_key))
        found: dict[str, int] = dict(stored)
        if found.keys() != by_key.keys():
            raise DamagedRow("a text is found under a hash that it does not have")
        return found
