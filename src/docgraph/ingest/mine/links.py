"""Links: a document that links to another, or to a section of it, `references` it."""

from collections.abc import Iterator

from docgraph.ingest.mine.paths import leads_elsewhere, meant_paths, split_anchor
from docgraph.ingest.mine.sketch import Sketch
from docgraph.ingest.parsed import Reference
from docgraph.model.claim import Claim
from docgraph.model.names import normalised

LINKS = "links"


def links(sketch: Sketch) -> Iterator[Claim]:
    """Every file that a link may mean is claimed, the likelier ones at a lower rank."""
    for reference in sketch.parsed.references:
        if reference.style in {"path", "document"} and not leads_elsewhere(reference.target):
            yield from _linked(sketch, reference)
        elif reference.style == "identifier":
            yield from _named(sketch, reference)


def _linked(sketch: Sketch, reference: Reference) -> Iterator[Claim]:
    path, anchor = split_anchor(reference.target)
    if not path:
        return
    for meant, rank in meant_paths(sketch.folder, path):
        for inner, strict in anchors(anchor):
            yield sketch.claim(
                LINKS,
                "references",
                f"path:{meant}",
                reference,
                says=reference.target,
                inner=inner,
                strict=strict,
                rank=rank,
            )


def anchors(anchor: str) -> tuple[tuple[str, bool], ...]:
    """The section of an anchor, else the document; or a section in the case that slugs have."""
    if not anchor:
        return (("", False),)
    exact, lower = (f"#{anchor}", False), (f"#{anchor.lower()}", True)
    return (exact,) if exact[0] == lower[0] else (exact, lower)


def _named(sketch: Sketch, reference: Reference) -> Iterator[Claim]:
    name = normalised(reference.target)
    for kind in ("doc", "code"):
        yield sketch.claim(
            LINKS, "references", f"{kind}:{name}", reference, says=reference.target, near=1
        )
