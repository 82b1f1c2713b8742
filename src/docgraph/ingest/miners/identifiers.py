"""Identifiers: a text that names a numbered document or a document's path `references` it."""

from collections.abc import Iterator

from docgraph.ingest.miners.document_view import DocumentView, first_mentions, numbered
from docgraph.model.reference import Reference

IDENTIFIERS = "identifiers"


def identifiers(sketch: DocumentView) -> Iterator[Reference]:
    """Numbers in all prose, comments and docstrings too; paths and file names in documents."""
    parsed = sketch.parsed
    for name, start, end in first_mentions(numbered(parsed.text, parsed.prose)):
        yield sketch.reference_at(IDENTIFIERS, "references", f"doc:{name}", start, end)
    for name, start, end in sketch.named:
        if "/" in name or "." in name:
            yield sketch.reference_at(IDENTIFIERS, "references", f"doc:{name}", start, end)


# Documents: a document that names a symbol or a file of code `documents` it.


DOCUMENTS = "documents"


def documents(sketch: DocumentView) -> Iterator[Reference]:
    """Docs and code are one graph; code speaks of code by imports and calls instead."""
    for name, start, end in sketch.named:
        yield sketch.reference_at(DOCUMENTS, "documents", f"code:{name}", start, end)
