"""Binding a rerank model to one reader: it reads candidates with the reader's own rights."""

from dataclasses import replace

from docgraph.model.access import may_send
from docgraph.model.document import NodeText
from docgraph.model.errors import BadInput
from docgraph.model.evidence import ChunkScore, Concept, EvidenceChunk
from docgraph.model.plan import RetrievalPlan
from docgraph.model.question import EmbedderIdentity, Question
from docgraph.ports.models import Reranked, RerankModel
from docgraph.ports.store import ReaderSession
from docgraph.ports.text_reads import TextReads


class ReaderReranker:
    """A candidate is read as its title, its summary and its passage closest to the question.

    What is above the model's ceiling is withheld. Where that is all, the model is not asked.
    """

    def __init__(self, model: RerankModel | None, reads: ReaderSession, question: Question) -> None:
        self._model = model
        self._reads = reads
        self._question = question

    @property
    def name(self) -> str:
        return self._model.name if self._model else "none"

    def rerank(self, question: str, ids: tuple[str, ...]) -> Reranked:
        if self._model is None:
            raise BadInput(
                "this pipeline reranks, and no reranker is configured; "
                "set `reranker` in docgraph.yaml or `rerank: 0` in the pipeline"
            )
        # As a plan, so that reading them passes the same gate as all reading.
        candidates = RetrievalPlan.of_seeds(self._question, ids, admit="candidates")
        window = self._reads.texts(candidates)
        concepts = window.concepts(ids)
        ceiling = self._model.ceiling
        sent = [found for found in concepts if may_send(ceiling, found.labels, found.level)]
        withheld = tuple(found.id for found in concepts if found not in sent)
        texts = {
            found.id: f"{found.title}\n{found.summary}\n{_closest(window, found.id)}"
            for found in sent
        }
        if not texts:
            return Reranked({}, withheld)
        scores = self._model.relevance(question, tuple(texts.values()))
        return Reranked(dict(zip(texts, scores, strict=True)), withheld)


def _closest(window: TextReads, node: str) -> str:
    def similarity_of(score: ChunkScore) -> tuple[int, int]:
        return (-(score.similarity or 0), score.position)

    best = sorted(window.chunk_scores(node), key=similarity_of)[:1]
    return "".join(passage.text for passage in window.chunks(tuple(best)))


# node_texts: nodes and chunks by id, through one reader's windows.


CHUNK = "chunk"


def node_texts(
    reads: ReaderSession, ids: tuple[str, ...], embedder: EmbedderIdentity, *, whole: bool
) -> tuple[NodeText, ...]:
    """Those that are visible, in the order given; a chunk is read out of the node that holds it."""
    holders = {one: _holder(one) for one in ids}
    present = frozenset(reads.graph.visible_ids((*ids, *filter(None, holders.values()))))
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
    (passage,) = window.full_texts((concept.id,)) if whole else (None,)
    return _told(concept, concept.id, concept.kind, passage)


def _chunk(
    written: str, holder: Concept | None, window: TextReads, *, whole: bool
) -> NodeText | None:
    if holder is None:
        return None
    scores = tuple(score for score in window.chunk_scores(holder.id) if score.id == written)
    for passage in window.chunks(scores):
        told = _told(holder, written, CHUNK, passage)
        return told if whole else replace(told, text=None)
    return None


def _told(concept: Concept, written: str, kind: str, passage: EvidenceChunk | None) -> NodeText:
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
