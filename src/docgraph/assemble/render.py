"""How a context reads: documents first, then numbered evidence grouped by node."""

from collections.abc import Sequence

from docgraph.model.evidence import Concept, NodeEvidence, Passage
from docgraph.model.identity import repository_of

HEADINGS = ("## Documents\n\n", "\n## Evidence\n\n")
WIDEST_NUMBER = "[9999] "


def concept_block(concept: Concept) -> str:
    headings = f" Headings: {'; '.join(concept.headings)}." if concept.headings else ""
    where = f"{repository_of(concept.id)}:{concept.location.path}"
    return f"- {concept.title} ({where}): {concept.summary}{headings}\n"


def evidence_block(node: NodeEvidence, passage: Passage) -> str:
    path = " > ".join((node.concept.title, *passage.heading_path))
    source = f"{repository_of(node.concept.id)}:{passage.location.cite()}"
    text = passage.text.strip("\r\n").rstrip()  # the first line keeps its indent
    return f"{path} ({source})\n{text}\n\n"


def render(concepts: Sequence[str], evidence: Sequence[str]) -> str:
    """The page; evidence is numbered from 1, as citations name it. Nothing renders as nothing."""
    if not concepts and not evidence:
        return ""
    numbered = (f"[{number}] {block}" for number, block in enumerate(evidence, start=1))
    page = f"{HEADINGS[0]}{''.join(concepts)}{HEADINGS[1]}{''.join(numbered)}"
    return page.strip() + "\n"
