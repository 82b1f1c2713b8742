"""Reads outside the pipeline's plan, each through a plan of its own: reranking and nodes by id."""

from dataclasses import replace
from operator import attrgetter
from typing import NamedTuple

from docgraph.model.access import may_send
from docgraph.model.document import NodeText
from docgraph.model.errors import BadInput
from docgraph.model.evidence import Concept, EvidenceChunk
from docgraph.model.node import document_of
from docgraph.model.plan import RetrievalPlan
from docgraph.model.question import EmbedderIdentity, Question
from docgraph.ports.models import Reranked, RerankModel
from docgraph.ports.store import ReaderSession
from docgraph.ports.text_reads import TextReads


class ReaderReranker:
    """A rerank model with the rights of one reader.

    It reads the title, the summary and the most similar chunk of each candidate. Candidates above
    the model's clearance are withheld from it.
    """

    def __init__(self, model: RerankModel | None, reads: ReaderSession, question: Question) -> None:
        self._model = model
        self._reads = reads
        self._question = question

    @property
    def name(self) -> str:
        return self._model.name if self._model else "none"

    def rerank(self, question: str, ids: tuple[str, ...]) -> Reranked:
        model = require_reranker(self._model)
        # Texts are only readable through a plan, which checks the reader's rights.
        candidates = RetrievalPlan.of_seeds(self._question, ids, admit="candidates")
        reads = self._reads.texts(candidates)
        concepts = reads.concepts(ids)
        clearance = model.clearance
        sent = [one for one in concepts if may_send(clearance, one.labels, one.level)]
        withheld = tuple(one.id for one in concepts if one not in sent)
        texts = {
            one.id: f"{one.title}\n{one.summary}\n{_most_similar_text(reads, one.id)}"
            for one in sent
        }
        if not texts:
            return Reranked({}, withheld)
        scores = model.relevance(question, tuple(texts.values()))
        return Reranked(dict(zip(texts, scores, strict=True)), withheld)


def require_reranker(model: RerankModel | None) -> RerankModel:
    if model is None:
        raise BadInput(
            "this pipeline reranks, and no reranker is configured; "
            "set `reranker` in docgraph.yaml or `rerank: 0` in the pipeline"
        )
    return model


def _most_similar_text(reads: TextReads, node: str) -> str:
    best = sorted(reads.chunk_scores(node), key=attrgetter("order"))[:1]
    return "".join(chunk.text for chunk in reads.chunks(tuple(best)))


CHUNK = "chunk"


class _VisibleNode(NamedTuple):
    concept: Concept
    ingestion_id: str


def read_node_texts(
    reads: ReaderSession, ids: tuple[str, ...], embedder: EmbedderIdentity, *, with_text: bool
) -> tuple[NodeText, ...]:
    """The visible nodes and chunks, in the order given."""
    parents = {one: _node_of_chunk(one) for one in ids}
    visible = frozenset(reads.graph.visible_ids((*ids, *filter(None, parents.values()))))
    planned = (one if one in visible else parents[one] for one in ids)
    names = tuple(dict.fromkeys(node for node in planned if node in visible))
    # Texts are only readable through a plan, which checks the reader's rights.
    plan = RetrievalPlan.of_seeds(Question("", (), embedder), names, admit="named")
    texts, ingestions = reads.texts(plan), reads.search.ingestions(names)
    nodes = {
        concept.id: _VisibleNode(concept, ingestions[concept.id].ingestion_id)
        for concept in texts.concepts(names)
    }
    results = (
        _read_node(nodes[one], texts, with_text=with_text)
        if one in nodes
        else _read_chunk(one, nodes.get(parents[one]), texts, with_text=with_text)
        for one in ids
    )
    return tuple(result for result in results if result is not None)


def _node_of_chunk(chunk_id: str) -> str:
    """Empty if it is not the id of a chunk."""
    node, _, position = chunk_id.rpartition("@")
    return node if position.isdecimal() else ""


def _read_node(node: _VisibleNode, texts: TextReads, *, with_text: bool) -> NodeText:
    concept = node.concept
    (chunk,) = texts.full_texts((concept.id,)) if with_text else (None,)
    return _node_text(node, concept.id, concept.kind, chunk)


def _read_chunk(
    chunk_id: str, parent: _VisibleNode | None, texts: TextReads, *, with_text: bool
) -> NodeText | None:
    if parent is None:
        return None
    scores = tuple(s for s in texts.chunk_scores(parent.concept.id) if s.id == chunk_id)
    for chunk in texts.chunks(scores):
        result = _node_text(parent, chunk_id, CHUNK, chunk)
        return result if with_text else replace(result, text=None)
    return None


def _node_text(
    node: _VisibleNode, result_id: str, kind: str, chunk: EvidenceChunk | None
) -> NodeText:
    concept = node.concept
    return NodeText(
        id=result_id,
        node=concept.id,
        document_id=document_of(concept.id),
        ingestion_id=node.ingestion_id,
        kind=kind,
        title=concept.title,
        summary=concept.summary,
        location=chunk.location if chunk else concept.location,
        heading_path=chunk.heading_path if chunk else (),
        access=concept.access,
        text=chunk.text if chunk else None,
    )
