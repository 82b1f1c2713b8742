"""Documents: a document that names a symbol or a file of code `documents` it."""

from collections.abc import Iterator

from docgraph.ingest.mine.mentioned import few, named
from docgraph.ingest.mine.sketch import Sketch
from docgraph.model.claim import Claim
from docgraph.model.node import CODE

DOCUMENTS = "documents"


def documents(sketch: Sketch) -> Iterator[Claim]:
    """Docs and code are one graph; code speaks of code by imports and calls instead."""
    if sketch.parsed.kind != CODE:
        for name, start, end in few(named(sketch.parsed.text)):
            yield sketch.claim_at(DOCUMENTS, "documents", f"code:{name}", start, end)
