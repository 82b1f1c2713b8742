"""Documents: a document that names a symbol or a file of code `documents` it."""

from collections.abc import Iterator

from docgraph.ingest.mine.sketch import Sketch
from docgraph.model.claim import Claim

DOCUMENTS = "documents"


def documents(sketch: Sketch) -> Iterator[Claim]:
    """Docs and code are one graph; code speaks of code by imports and calls instead."""
    for name, start, end in sketch.named:
        yield sketch.claim_at(DOCUMENTS, "documents", f"code:{name}", start, end)
