"""The text of a context: documents first, then numbered evidence grouped by node."""

from collections.abc import Sequence

from docgraph.assemble.sanitize import sanitize, sanitize_line
from docgraph.model.evidence import Concept, EvidenceChunk, NodeEvidence
from docgraph.model.node import Location, repository_of

HEADINGS = ("## Documents\n\n", "## Evidence\n\n")
WIDEST_NUMBER = "[9999] "


def concept_block(concept: Concept) -> str:
    return _concept(concept.id, concept.title, concept.summary, concept.location)


def evidence_block(node: NodeEvidence, chunk: EvidenceChunk) -> str:
    path = (node.concept.title, *chunk.heading_path)
    return _evidence(node.concept.id, path, chunk.text, chunk.location)


def render(concepts: Sequence[str], evidence: Sequence[str]) -> str:
    """Evidence is numbered from 1, as citations name it. Without blocks the text is empty."""
    numbered = [f"[{number}] {block}" for number, block in enumerate(evidence, start=1)]
    parts = ((HEADINGS[0], concepts), (HEADINGS[1], numbered))
    text = "\n".join(heading + "".join(blocks) for heading, blocks in parts if blocks)
    return text.strip() + "\n" if text else ""


def _concept(node: str, title: str, summary: str, location: Location) -> str:
    """The title is left out where the summary begins with it."""
    name = "" if summary.startswith(title) else f"{title}: "
    where = f"{repository_of(node)}:{location.path}"
    return sanitize_line(f"- {name}{summary} ({where})") + "\n"


def _evidence(node: str, path: Sequence[str], text: str, location: Location) -> str:
    source = f"{repository_of(node)}:{location.cite()}"
    body = text.strip("\r\n").rstrip()  # the first line keeps its indent
    title = sanitize_line(f"{' > '.join(path)} ({source})")
    return f"{title}\n{sanitize(body)}\n\n"
