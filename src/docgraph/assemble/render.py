"""How a context reads: documents first, then numbered evidence grouped by node."""

from collections.abc import Sequence

from docgraph.assemble.sanitize import sanitize, sanitize_line
from docgraph.model.evidence import Concept, EvidenceChunk, NodeEvidence
from docgraph.model.node import Location, repository_of

HEADINGS = ("## Documents\n\n", "## Evidence\n\n")
WIDEST_NUMBER = "[9999] "


def concept_block(concept: Concept) -> str:
    return _concept(concept.id, concept.title, concept.summary, concept.location)


def evidence_block(node: NodeEvidence, passage: EvidenceChunk) -> str:
    path = (node.concept.title, *passage.heading_path)
    return _evidence(node.concept.id, path, passage.text, passage.location)


def render(concepts: Sequence[str], evidence: Sequence[str]) -> str:
    """The page; evidence is numbered from 1, as citations name it. Nothing renders as nothing."""
    numbered = [f"[{number}] {block}" for number, block in enumerate(evidence, start=1)]
    parts = ((HEADINGS[0], concepts), (HEADINGS[1], numbered))
    page = "\n".join(heading + "".join(blocks) for heading, blocks in parts if blocks)
    return page.strip() + "\n" if page else ""


def _concept(node: str, title: str, summary: str, location: Location) -> str:
    """The summary opens with the title, if extraction made it, and lists headings already."""
    name = "" if summary.startswith(title) else f"{title}: "
    where = f"{repository_of(node)}:{location.path}"
    return sanitize_line(f"- {name}{summary} ({where})") + "\n"


def _evidence(node: str, path: Sequence[str], text: str, location: Location) -> str:
    source = f"{repository_of(node)}:{location.cite()}"
    told = text.strip("\r\n").rstrip()  # the first line keeps its indent
    title = sanitize_line(f"{' > '.join(path)} ({source})")
    return f"{title}\n{sanitize(told)}\n\n"
