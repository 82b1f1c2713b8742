"""A digest of all that a reader sees of each document: what two ingests must agree on."""

import hashlib
import sqlite3
from collections.abc import Iterator

from docgraph.adapters.named_queries import named_queries
from docgraph.adapters.sqlite.connection import PACKAGE
from docgraph.model.digest import canonical

_SQL = named_queries(PACKAGE, "reads.sql")


def contents(connection: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """Text, nodes, chunks, vectors and names; neither numbers nor times of the store."""
    for ordinal, document in connection.execute(_SQL["visible_documents"]).fetchall():
        place = {"document": ordinal}
        whole = hashlib.sha256()
        whole.update(connection.execute(_SQL["text_of_document"], place).fetchone()[0].encode())
        for query in ("nodes_whole", "chunks_whole", "offers_whole"):
            for row in connection.execute(_SQL[query], place):
                told = [value.hex() if isinstance(value, bytes) else value for value in row]
                whole.update(b"\n" + canonical(told))
        yield document, whole.hexdigest()
