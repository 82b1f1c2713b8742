"""A digest of all that a reader sees of each document: what two ingests must agree on."""

import hashlib
from collections.abc import Iterator

from docgraph.adapters.sql.database import Queries, only
from docgraph.model.digest import canonical


def contents(sql: Queries) -> Iterator[tuple[str, str]]:
    """Text, nodes, chunks, vectors and names; neither numbers nor times of the store."""
    for ordinal, document in sql.rows("visible_documents"):
        whole = hashlib.sha256()
        whole.update(only(sql.row("text_of_document", document=ordinal))[0].encode())
        for query in ("nodes_whole", "chunks_whole", "offers_whole"):
            for row in sql.rows(query, document=ordinal):
                told = [value.hex() if isinstance(value, bytes) else value for value in row]
                whole.update(b"\n" + canonical(told))
        yield document, whole.hexdigest()
