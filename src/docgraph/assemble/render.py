"""How a context reads: documents first, then numbered evidence grouped by node."""

from collections.abc import Sequence

from docgraph.model.evidence import Concept, NodeEvidence, Passage
from docgraph.model.identity import repository_of

HEADINGS = ("## Documents\n\n", "## Evidence\n\n")
WIDEST_NUMBER = "[9999] "


def concept_block(concept: Concept) -> str:
    """The summary opens with the title, if extraction made it, and lists headings already."""
    name = "" if concept.summary.startswith(concept.title) else f"{concept.title}: "
    where = f"{repository_of(concept.id)}:{concept.location.path}"
    return f"- {name}{concept.summary} ({where})\n"


def evidence_block(node: NodeEvidence, passage: Passage) -> str:
    path = " > ".join((node.concept.title, *passage.heading_path))
    source = f"{repository_of(node.concept.id)}:{passage.location.cite()}"
    text = passage.text.strip("\r\n").rstrip()  # the first line keeps its indent
    return f"{path} ({source})\n{text}\n\n"


def render(concepts: Sequence[str], evidence: Sequence[str]) -> str:
    """The page; evidence is numbered from 1, as citations name it. Nothing renders as nothing."""
    numbered = [f"[{number}] {block}" for number, block in enumerate(evidence, start=1)]
    parts = ((HEADINGS[0], concepts), (HEADINGS[1], numbered))
    page = "\n".join(heading + "".join(blocks) for heading, blocks in parts if blocks)
    return page.strip() + "\n" if page else ""
