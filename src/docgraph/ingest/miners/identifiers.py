"""Identifiers: a text that names a numbered document or a document's path `references` it."""

from collections.abc import Iterator

from docgraph.ingest.miners.document_view import Sketch, few, numbered
from docgraph.model.reference import Claim

IDENTIFIERS = "identifiers"


def identifiers(sketch: Sketch) -> Iterator[Claim]:
    """Numbers in all prose, comments and docstrings too; paths and file names in documents."""
    parsed = sketch.parsed
    for name, start, end in few(numbered(parsed.text, parsed.prose)):
        yield sketch.claim_at(IDENTIFIERS, "references", f"doc:{name}", start, end)
    for name, start, end in sketch.named:
        if "/" in name or "." in name:
            yield sketch.claim_at(IDENTIFIERS, "references", f"doc:{name}", start, end)


# Documents: a document that names a symbol or a file of code `documents` it.


DOCUMENTS = "documents"


def documents(sketch: Sketch) -> Iterator[Claim]:
    """Docs and code are one graph; code speaks of code by imports and calls instead."""
    for name, start, end in sketch.named:
        yield sketch.claim_at(DOCUMENTS, "documents", f"code:{name}", start, end)
