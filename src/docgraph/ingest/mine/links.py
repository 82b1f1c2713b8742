"""Links: a document that links to another, or to a section of it, `references` it."""

from collections.abc import Iterator

from docgraph.ingest.mine.claims import Claim, Finding, Unresolved, claim
from docgraph.ingest.mine.corpus import Corpus, Sketch, distance
from docgraph.ingest.mine.paths import candidates, leads_elsewhere, split_anchor
from docgraph.ingest.parsed import Reference
from docgraph.model.identity import document_of, path_of, section_id
from docgraph.model.names import normalised


def links(corpus: Corpus) -> Iterator[Finding]:
    """Every file that a link may mean is claimed, the likelier ones at a lower rank."""
    for sketch in corpus.sketches:
        for reference in sketch.references:
            if reference.style in {"path", "document"} and not leads_elsewhere(reference.target):
                yield from _linked(corpus, sketch, reference)
            elif reference.style == "identifier":
                yield from _named(corpus, sketch, reference)


def _linked(corpus: Corpus, sketch: Sketch, reference: Reference) -> Iterator[Finding]:
    path, anchor = split_anchor(reference.target)
    if not path:
        return
    found = False
    for rank, candidate in enumerate(candidates(sketch.folder, path)):
        target = corpus.by_path.get(candidate)
        if target is None:
            continue
        found = True
        if target is not sketch:
            yield _claim(sketch, anchored(target, anchor), reference, rank)
    if not found:
        yield Unresolved(sketch.path, reference.line, reference.target)


def anchored(target: Sketch, anchor: str) -> str:
    """The section that an anchor names, else the document."""
    for spelling in (anchor, anchor.lower()):
        if anchor and section_id(target.id, spelling) in target.nodes:
            return section_id(target.id, spelling)
    return target.id


def _named(corpus: Corpus, sketch: Sketch, reference: Reference) -> Iterator[Finding]:
    nodes = corpus.by_name.get(normalised(reference.target), ())
    if not nodes:
        yield Unresolved(sketch.path, reference.line, reference.target)
    for node in nodes:
        if document_of(node) != sketch.id:
            yield _claim(sketch, node, reference, distance(sketch.path, path_of(node)))


def _claim(sketch: Sketch, target: str, reference: Reference, rank: int) -> Claim:
    return claim(sketch, "references", target, reference, rank=rank, says=reference.target)
