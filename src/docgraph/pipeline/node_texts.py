"""node_texts: nodes and chunks by id, through one reader's windows."""

from dataclasses import replace

from docgraph.model.evidence import Concept, Passage
from docgraph.model.node_text import NodeText
from docgraph.model.plan import RetrievalPlan
from docgraph.model.question import EmbedderIdentity, Question
from docgraph.ports.store import Reads
from docgraph.ports.text_reads import TextReads

CHUNK = "chunk"


def node_texts(
    reads: Reads, ids: tuple[str, ...], embedder: EmbedderIdentity, *, whole: bool
) -> tuple[NodeText, ...]:
    """Those that are visible, in the order given; a chunk is read out of the node that holds it."""
    holders = {one: _holder(one) for one in ids}
    present = frozenset(reads.graph.present((*ids, *filter(None, holders.values()))))
    planned = (one if one in present else holders[one] for one in ids)
    nodes = tuple(dict.fromkeys(node for node in planned if node in present))
    # As a plan, so that reading them passes the same gate as all reading.
    plan = RetrievalPlan.of_seeds(Question("", (), embedder), nodes, admit="named")
    window = reads.texts(plan)
    concepts = {concept.id: concept for concept in window.concepts(nodes)}
    found = (
        _node(concepts[one], window, whole=whole)
        if one in concepts
        else _chunk(one, concepts.get(holders[one]), window, whole=whole)
        for one in ids
    )
    return tuple(node for node in found if node is not None)


def _holder(written: str) -> str:
    """Of a chunk's id; empty if it is none."""
    node, _, position = written.rpartition("@")
    return node if position.isdecimal() else ""


def _node(concept: Concept, window: TextReads, *, whole: bool) -> NodeText:
    (passage,) = window.whole((concept.id,)) if whole else (None,)
    return _told(concept, concept.id, concept.kind, passage)


def _chunk(
    written: str, holder: Concept | None, window: TextReads, *, whole: bool
) -> NodeText | None:
    if holder is None:
        return None
    scores = tuple(score for score in window.scores(holder.id) if score.id == written)
    for passage in window.passages(scores):
        told = _told(holder, written, CHUNK, passage)
        return told if whole else replace(told, text=None)
    return None


def _told(concept: Concept, written: str, kind: str, passage: Passage | None) -> NodeText:
    return NodeText(
        id=written,
        node=concept.id,
        document=concept.document,
        kind=kind,
        title=concept.title,
        summary=concept.summary,
        location=passage.location if passage else concept.location,
        heading_path=passage.heading_path if passage else (),
        access=concept.access,
        text=passage.text if passage else None,
    )
