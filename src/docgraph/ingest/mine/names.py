"""Names: two documents that hold the same rare name share it; how rare, the question decides."""

from collections.abc import Iterator

from docgraph.ingest.mine.entities import entities
from docgraph.ingest.mine.sketch import Sketch
from docgraph.model.claim import ENTITY, Claim
from docgraph.model.node import CODE
from docgraph.model.relation import SHARES_ENTITY

NAMES = "names"


def names(sketch: Sketch) -> Iterator[Claim]:
    """The first place of each name; names of code are the business of other miners."""
    if sketch.parsed.kind != CODE:
        for name, start, end in entities(sketch.parsed.text, sketch.parsed.prose):
            yield sketch.claim_at(NAMES, SHARES_ENTITY, f"{ENTITY}:{name}", start, end, says=name)
