"""Binding a rerank model to one reader: it reads candidates with the reader's own rights."""

from docgraph.model.errors import BadInput
from docgraph.model.evidence import PassageScore
from docgraph.model.plan import RetrievalPlan
from docgraph.model.question import Question
from docgraph.ports.reranker import RerankModel
from docgraph.ports.store import Reads
from docgraph.ports.text_reads import TextReads


class BoundReranker:
    """A candidate is read as its title, its summary and its passage closest to the question."""

    def __init__(self, model: RerankModel | None, reads: Reads, question: Question) -> None:
        self._model = model
        self._reads = reads
        self._question = question

    @property
    def name(self) -> str:
        return self._model.name if self._model else "none"

    def scores(self, question: str, ids: tuple[str, ...]) -> dict[str, float]:
        if self._model is None:
            raise BadInput(
                "this pipeline reranks, and no reranker is configured; "
                "set `reranker` in docgraph.yaml or `rerank: 0` in the pipeline"
            )
        # As a plan, so that reading them passes the same gate as all reading.
        candidates = RetrievalPlan.of_seeds(self._question, ids, admit="candidates")
        window = self._reads.texts(candidates)
        texts = {
            concept.id: f"{concept.title}\n{concept.summary}\n{_closest(window, concept.id)}"
            for concept in window.concepts(ids)
        }
        if not texts:
            return {}
        return dict(zip(texts, self._model.relevance(question, tuple(texts.values())), strict=True))


def _closest(window: TextReads, node: str) -> str:
    def nearness(score: PassageScore) -> tuple[int, int]:
        return (-(score.similarity or 0), score.position)

    best = sorted(window.scores(node), key=nearness)[:1]
    return "".join(passage.text for passage in window.passages(tuple(best)))
