"""Names: two documents that hold the same rare name share it; how rare, the question decides."""

from collections.abc import Iterator

from docgraph.ingest.mine.entities import entities
from docgraph.ingest.mine.sketch import Sketch
from docgraph.model.claim import ENTITY, Claim
from docgraph.model.node import CODE
from docgraph.model.relation import SHARES_ENTITY

NAMES = "names"


def names(sketch: Sketch) -> Iterator[Claim]:
    """The first place of each name; one in a title that the text does not repeat has no place."""
    parsed = sketch.parsed
    if parsed.kind == CODE:  # names of code are the business of other miners
        return
    found = {name: (start, end) for name, start, end in entities(parsed.text, parsed.prose)}
    if parsed.titled:
        found = {**{name: (0, 0) for name, _, _ in entities(parsed.title)}, **found}
    for name, (start, end) in found.items():
        yield sketch.claim_at(NAMES, SHARES_ENTITY, f"{ENTITY}:{name}", start, end, says=name)
