"""Code: what a reader of code found in one file, each kind of relation under its own miner."""

from collections import Counter
from collections.abc import Iterator
from types import MappingProxyType

from docgraph.ingest.mine.mentioned import MOST_PLACES
from docgraph.ingest.mine.sketch import Sketch
from docgraph.model.claim import Claim

MINER_OF = MappingProxyType(
    {
        "imports": "imports",
        "calls": "calls",
        "inherits": "types",
        "implements": "types",
        "reads": "tables",
        "writes": "tables",
        "references": "tables",
    }
)


def code(sketch: Sketch) -> Iterator[Claim]:
    """Of calls by one function to another, the first few places: more show nothing new."""
    seen: Counter[tuple[str, int | None, str, str]] = Counter()
    for pointer in sketch.parsed.pointers:
        same = (pointer.relation, pointer.part, pointer.key, pointer.inner)
        seen[same] += 1
        if seen[same] > MOST_PLACES:
            continue
        yield Claim(
            source=sketch.nodes[0 if pointer.part is None else pointer.part + 1],
            relation=pointer.relation,
            key=pointer.key,
            start=pointer.start,
            end=pointer.end,
            line=pointer.line,
            says=pointer.says,
            miner=MINER_OF[pointer.relation],
            inner=pointer.inner,
            strict=pointer.strict,
            rank=pointer.rank,
            near=pointer.near,
            reported=pointer.reported,
        )
