"""Miners of names in prose: numbered documents and paths, and the code that a document names."""

from collections.abc import Iterator

from docgraph.ingest.miners.document_view import (
    DocumentView,
    find_numbered_documents,
    limit_mentions,
)
from docgraph.model.reference import Reference

IDENTIFIERS = "identifiers"
DOCUMENTS = "documents"


def mine_identifiers(view: DocumentView) -> Iterator[Reference]:
    """Numbers in all prose, comments and docstrings too; paths and file names in documents."""
    parsed = view.parsed
    for name, start, end in limit_mentions(find_numbered_documents(parsed.text, parsed.prose)):
        yield view.reference_at(IDENTIFIERS, "references", f"doc:{name}", start, end)
    for name, start, end in view.mentions:
        if "/" in name or "." in name:
            yield view.reference_at(IDENTIFIERS, "references", f"doc:{name}", start, end)


def mine_documents(view: DocumentView) -> Iterator[Reference]:
    """A document that names a symbol or a file of code `documents` it."""
    for name, start, end in view.mentions:
        yield view.reference_at(DOCUMENTS, "documents", f"code:{name}", start, end)
