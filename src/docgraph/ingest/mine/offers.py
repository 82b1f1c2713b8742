"""Offers: every key by which a document and its parts can be meant."""

from collections.abc import Iterator

from docgraph.ingest.mine.paths import offered_paths
from docgraph.ingest.mine.titles import spellings
from docgraph.ingest.parsed import Parsed
from docgraph.model.claim import Offer
from docgraph.model.document import DefinedName
from docgraph.model.node import CODE


def offers(
    path: str, parsed: Parsed, nodes: tuple[str, ...], names: tuple[DefinedName, ...]
) -> Iterator[Offer]:
    """`nodes` are the ids of the document and of its parts, in order."""
    for offered, rank in offered_paths(path):
        yield Offer(f"path:{offered}", nodes[0], rank)
    kind = "code" if parsed.kind == CODE else "doc"
    for name in names:
        yield Offer(f"{kind}:{name.name}", name.node)
    if parsed.titled and parsed.kind != CODE:
        for rank, spelling in enumerate(spellings(parsed.title)):
            yield Offer(f"title:{spelling}", nodes[0], rank)
    for handle in parsed.handles:
        node = nodes[0 if handle.part is None else handle.part + 1]
        yield Offer(handle.key, node, handle.rank)
