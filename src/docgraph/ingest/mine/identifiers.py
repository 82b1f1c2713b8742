"""Identifiers: a text that names a numbered document or a document's path `references` it."""

from collections.abc import Iterator

from docgraph.ingest.mine.mentioned import few, numbered
from docgraph.ingest.mine.sketch import Sketch
from docgraph.model.claim import Claim

IDENTIFIERS = "identifiers"


def identifiers(sketch: Sketch) -> Iterator[Claim]:
    """Numbers in all prose, comments and docstrings too; paths and file names in documents."""
    parsed = sketch.parsed
    for name, start, end in few(numbered(parsed.text, parsed.prose)):
        yield sketch.claim_at(IDENTIFIERS, "references", f"doc:{name}", start, end)
    for name, start, end in sketch.named:
        if "/" in name or "." in name:
            yield sketch.claim_at(IDENTIFIERS, "references", f"doc:{name}", start, end)
