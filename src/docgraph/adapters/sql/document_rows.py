"""The rows of one document version, table by table, and the checksum over all of them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from docgraph.adapters.sql.checksums import row_checksum
from docgraph.adapters.sql.relation_writer import distinct_references, reference_rows
from docgraph.model.node import Location
from docgraph.ports.indexes import FOREVER
from docgraph.ports.writes import BuiltDocument, text_key

Values = dict[str, object]


@dataclass(frozen=True, slots=True)
class DocumentRows:
    """The rows of one document version, by table.

    `key` holds the columns that all of them share, `handles` the numbers of its nodes by id.
    """

    built: BuiltDocument
    version: int
    access_class: int
    key: Values
    handles: dict[str, int]

    def document(
        self, contents: Mapping[str, int], snapshot: int, parts: Mapping[str, Sequence[Values]]
    ) -> Values:
        """With the checksum of all its rows."""
        document = self.built.document
        key = text_key(document.text)
        row: Values = {
            **self.key,
            "path": document.path,
            "id": document.id,
            "content": contents[key],
            "hash": key,
            "fingerprint": document.fingerprint,
            "unresolved_calls": document.unresolved_calls,
            "source_lines": json.dumps(document.source_lines) if document.source_lines else "",
            "embedding_priority": document.embedding_priority,
            "valid_from": snapshot,
            "valid_to": FOREVER,
            "stated_class": self.key["access_class"],
        }
        row["state_checksum"] = row_checksum("document_states", row)
        row["checksum"] = row_checksum("documents", row) + sum(
            row_checksum(table, part) for table, rows in parts.items() for part in rows
        )
        return row

    def parts(self) -> dict[str, list[Values]]:
        """The rows of all other tables."""
        return {
            "document_nodes": list(self.nodes()),
            "vector_chunks": list(self.chunks()),
            "definitions": list(self.definitions()),
            "node_references": distinct_references(self.references()),
        }

    def nodes(self) -> Iterator[Values]:
        for node in self.built.document.nodes:
            yield {
                **self.key,
                "handle": self.handles[node.id],
                "id": node.id,
                "kind": node.kind,
                "title": node.title,
                "summary": node.summary,
                "parent": node.parent,
                **_span(node.source),
                "signature_length": node.signature_length,
            }

    def chunks(self) -> Iterator[Values]:
        for chunk in self.built.document.chunks:
            yield {
                **self.key,
                "position": chunk.position,
                "id": chunk.id,
                "node": chunk.node,
                "heading_path": json.dumps(chunk.heading_path, ensure_ascii=False),
                **_span(chunk.location),
            }

    def definitions(self) -> Iterator[Values]:
        """Each once, with its best rank."""
        ranks: dict[tuple[str, str], int] = {}
        for definition in self.built.document.definitions:
            name = (definition.key, definition.suffix)
            ranks[name] = min(definition.rank, ranks.get(name, definition.rank))
        for (key, suffix), rank in ranks.items():
            yield {**self.key, "key": key, "node_suffix": suffix, "rank": rank}

    def references(self) -> Iterator[Values]:
        return reference_rows(self.key, self.built.document.references)


def _span(location: Location) -> Values:
    return {
        "first_line": location.first_line,
        "last_line": location.last_line,
        "start_offset": location.start,
        "end_offset": location.end,
        "page": location.page,
    }
