"""Binding a rerank model to one reader: it reads candidates with the reader's own rights."""

from docgraph.model.egress import may_leave
from docgraph.model.errors import BadInput
from docgraph.model.evidence import PassageScore
from docgraph.model.plan import RetrievalPlan
from docgraph.model.question import Question
from docgraph.ports.reranker import Reranked, RerankModel
from docgraph.ports.store import Reads
from docgraph.ports.text_reads import TextReads


class BoundReranker:
    """A candidate is read as its title, its summary and its passage closest to the question.

    What is above the model's ceiling is withheld. Where that is all, the model is not asked.
    """

    def __init__(self, model: RerankModel | None, reads: Reads, question: Question) -> None:
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
        sent = [found for found in concepts if may_leave(ceiling, found.labels, found.level)]
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
    def nearness(score: PassageScore) -> tuple[int, int]:
        return (-(score.similarity or 0), score.position)

    best = sorted(window.scores(node), key=nearness)[:1]
    return "".join(passage.text for passage in window.passages(tuple(best)))
