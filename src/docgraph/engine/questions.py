"""Questions: each request runs a pipeline for one reader."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

from docgraph.engine.audit_trail import AuditNote, AuditTrail, open_session
from docgraph.engine.question_vectors import QuestionVectors
from docgraph.engine.unknown_nodes import unknown_node
from docgraph.model.access import Principal
from docgraph.model.answer import Answer
from docgraph.model.context import Context, TokenCounter
from docgraph.model.document import NodeText
from docgraph.model.embedding_state import NOTHING
from docgraph.model.errors import BadPipeline, NotVisible, WrongEmbedder
from docgraph.model.evidence import RetrievedContext
from docgraph.model.explanation import Explanation
from docgraph.model.plan import RetrievalPlan
from docgraph.model.question import Question
from docgraph.model.seeds import Seeds
from docgraph.model.snapshot import ALL_REPOSITORIES, SnapshotName, SnapshotSelector
from docgraph.pipeline.catalog import FindAction, find_none
from docgraph.pipeline.fit_budget import fit_budget
from docgraph.pipeline.pipeline import Pipeline
from docgraph.pipeline.planned_reads import ReaderReranker, read_node_texts
from docgraph.pipeline.receipt import Receipt
from docgraph.pipeline.replay import ReplayResult, node_ids_in, replay, require_same_embedding
from docgraph.pipeline.request import QuestionRequest, seeds_from_ids, validate_ids
from docgraph.pipeline.retrieval import Retrieval, SavedPlan
from docgraph.pipeline.run import Run, continue_run, run
from docgraph.ports.graph_reads import GraphReads
from docgraph.ports.models import ChatModel, ChatModelChain, Embedder, Reranker, RerankModel
from docgraph.ports.search_reads import SearchReads
from docgraph.ports.store import ReaderSession, Store
from docgraph.ports.text_reads import TextReads

T = TypeVar("T")
Providers = Mapping[type, Callable[[Mapping[type, Any]], Any]]


@dataclass(frozen=True, slots=True)
class QuestionService:
    """Models are made when first needed: they take time to load."""

    store: Store
    audit: AuditTrail
    embedder: Callable[[], Embedder]
    tokens: Callable[[], TokenCounter]
    rerank_model: Callable[[], RerankModel | None]
    clock: Callable[[], float]
    chat_models: Callable[[], tuple[ChatModel, ...]] = tuple
    find_action: FindAction = find_none
    vectors: QuestionVectors = field(default_factory=QuestionVectors)

    def search(self, request: QuestionRequest) -> Retrieval:
        """Runs the pipeline up to its seeds."""
        return self._run_recorded(request, request.effective_pipeline().up_to(Seeds))

    def plan(self, request: QuestionRequest) -> Retrieval:
        """Runs the pipeline up to its plan; no text is read."""
        return self._run_recorded(request, request.effective_pipeline().up_to(RetrievalPlan))

    def retrieve(self, request: QuestionRequest) -> Retrieval:
        """Runs the pipeline up to its context; explicit ids take the place of search."""
        return self._run_recorded(request, request.effective_pipeline().before(Answer))

    def ask(
        self, request: QuestionRequest, on_text: Callable[[str], None] = lambda _: None
    ) -> Retrieval:
        """Runs the whole pipeline, its answer included, which `on_text` gets piece by piece.

        The store is closed before a model is asked: that may take long.
        """
        pipeline = request.effective_pipeline()
        if not any(step.action.makes is Answer for step in pipeline.steps):
            raise BadPipeline(
                f"pipeline {pipeline.name!r} gives no answer; end it with `- answer_question: {{}}`"
            )
        models = self.chat_models()
        with self.audit.record(request.reader, "ask") as note:
            before = pipeline.before(Context)
            retrieval = self._retrieval(request, before, note)
            rest = Pipeline(pipeline.name, pipeline.steps[len(before.steps) :])
            evidence, tokens = retrieval.run.get(RetrievedContext), self.tokens()
            providers: Providers = {
                TokenCounter: lambda _: tokens,
                ChatModelChain: lambda _: ChatModelChain(models, on_text),
            }
            rest = fit_budget(rest, evidence, tokens, models)
            whole = continue_run(retrieval.run, rest, providers, self.clock, self.audit.tracer)
            retrieval = replace(retrieval, run=whole)
            answer = retrieval.answer
            note.detail = (
                f"{answer.kind}: {answer.generation.model if answer.generation else answer.reason}"
            )
            note.refused = answer.reason if answer.kind == "refused" else ""
            return retrieval

    def execute(self, reader: Principal, saved: SavedPlan, pipeline: Pipeline) -> Retrieval:
        """Executes a plan on its own snapshots, with the rights the reader has now."""
        visible = tuple(
            selector
            for selector in _selectors(saved.snapshots)
            if self._is_visible(reader, selector)
        )
        request = QuestionRequest(reader, pipeline, saved.plan.question, scope=visible)
        with self.audit.read(self.store, reader, "execute", visible) as (reads, note):
            note.plan = saved.plan.digest
            note.missing(saved.plan.order, reads.graph.visible_ids(saved.plan.order))
            if saved.plan.query_vector and reads.embedder not in (None, saved.plan.embedder):
                raise WrongEmbedder(f"the plan was made with {saved.plan.embedder.name}")
            given: dict[type, Any] = {RetrievalPlan: saved.plan}
            steps = pipeline.before(Answer).starting_from(RetrievalPlan)
            return Retrieval(request, reads.scope, self._run(steps, given, reads))

    def replay(self, reader: Principal, receipt: Receipt) -> ReplayResult:
        """Runs a receipt's steps again, with the rights the reader has now, and compares."""
        with self.audit.record(reader, "replay") as note:
            note.plan = receipt.plan.digest
            return replay(
                receipt,
                reader,
                lambda steps: self._again(reader, receipt, steps, note),
                self.find_action,
            )

    def why(self, request: QuestionRequest, node: str) -> Explanation:
        """Why a node is in the context, or where it was left out and what includes it."""
        from docgraph.pipeline.why_not.why_not import why_not

        request = request.validated()
        with self.audit.record(request.reader, "why") as note:

            def explain(question: Question, reads: ReaderSession) -> Explanation:
                given, pipeline = self._given(
                    request, request.effective_pipeline(), question, reads, note
                )
                explanation = why_not(node, pipeline, given, reads, partial(self._run, reads=reads))
                if explanation is None:
                    note.missing((node,), ())
                    raise unknown_node(reads, node)
                return explanation

            return self._with_question(
                request.reader, request.question, request.scope, note, explain
            )

    def nodes(
        self,
        reader: Principal,
        ids: Sequence[str],
        *,
        scope: Sequence[SnapshotSelector] = ALL_REPOSITORIES,
        whole: bool = True,
    ) -> tuple[NodeText, ...]:
        """Nodes and chunks by id, in the order given, with their texts unless not `whole`.

        Forbidden and absent ones are left out alike; that none is left is an error.
        """
        named = validate_ids(ids)
        with self.audit.read(self.store, reader, "nodes", scope) as (reads, note):
            embedder = reads.embedder
            nodes = read_node_texts(reads, named, embedder, with_text=whole) if embedder else ()
            note.missing(named, (node.id for node in nodes))
            if note.unseen and not nodes:
                raise unknown_node(reads, note.unseen[0])
            return nodes

    def _run_recorded(self, request: QuestionRequest, pipeline: Pipeline) -> Retrieval:
        with self.audit.record(request.reader, "retrieve") as note:
            return self._retrieval(request, pipeline, note)

    def _retrieval(
        self, request: QuestionRequest, pipeline: Pipeline, note: AuditNote
    ) -> Retrieval:
        request = request.validated()

        def retrieve(question: Question, reads: ReaderSession) -> Retrieval:
            given, steps = self._given(request, pipeline, question, reads, note)
            retrieval = Retrieval(request, reads.scope, self._run(steps, given, reads))
            note.plan = retrieval.plan.digest if RetrievalPlan in retrieval.run.values else ""
            return retrieval

        return self._with_question(
            request.reader,
            request.question,
            request.scope,
            note,
            retrieve,
            embeds=not pipeline.reads_no_vector,
        )

    def _with_question(
        self,
        reader: Principal,
        text: str,
        scope: Sequence[SnapshotSelector],
        note: AuditNote,
        answer: Callable[[Question, ReaderSession], T],
        *,
        embeds: bool = True,
        again: bool = False,
    ) -> T:
        """Embeds the question only where what is visible has vectors, and while no session is open:
        an embedder may be slow. What is embedded stays so, so two sessions are enough. `again`:
        also if it was embedded before, to compare."""
        with open_session(self.store, reader, scope, note) as reads:
            if not embeds or not _needs_vector(text, reads):
                return answer(self._question(text, None, reads), reads)
        known = None if again else self.vectors.find(reader, text)
        embedded = known or self._embed(reader, text)
        with open_session(self.store, reader, scope, note) as reads:
            return answer(self._question(text, embedded, reads), reads)

    def _given(
        self,
        request: QuestionRequest,
        pipeline: Pipeline,
        question: Question,
        reads: ReaderSession,
        note: AuditNote,
    ) -> tuple[dict[type, Any], Pipeline]:
        """What a run starts from, and the steps that are left: seeds take the place of search.

        A seed that is not visible is an error.
        """
        given: dict[type, Any] = {Question: question}
        if not request.seeds:
            return given, pipeline
        given[Seeds] = _seeds(request.seeds, reads)
        note.missing(request.seeds, given[Seeds].ids)
        if note.unseen:
            raise unknown_node(reads, note.unseen[0])
        return given, pipeline.starting_from(Seeds)

    def _again(
        self, reader: Principal, receipt: Receipt, pipeline: Pipeline, note: AuditNote
    ) -> Retrieval:
        """All that the receipt names must be visible, before anything is done."""
        scope = _selectors(receipt.snapshots)
        request = QuestionRequest(reader, pipeline, receipt.question, receipt.seeds, scope)
        named = node_ids_in(receipt.plan)
        note.missing(named, ())

        def rerun(question: Question, reads: ReaderSession) -> Retrieval:
            note.missing(named, reads.graph.visible_ids(named))
            if note.unseen:
                raise NotVisible("not everything is visible")
            given: dict[type, Any] = {Question: require_same_embedding(receipt, question)}
            if receipt.seeds:
                given[Seeds] = _seeds(receipt.seeds, reads)
            return Retrieval(request, reads.scope, self._run(pipeline, given, reads))

        return self._with_question(reader, receipt.question, scope, note, rerun, again=True)

    def _is_visible(self, reader: Principal, selector: SnapshotSelector) -> bool:
        """A plan does not outlive its permission: what is gone leaves an empty scope behind."""
        try:
            with self.store.open_session(reader, (selector,)):
                return True
        except NotVisible:
            return False

    def _embed(self, user: Principal, text: str) -> Question:
        with self.audit.tracer.span("embed_question") as span:
            embedder = self.embedder()
            vector = tuple(embedder.embed([text])[0].tolist())
            span.set({"docgraph.embedder": embedder.identity.name})
        question = Question(text, vector, embedder.identity)
        self.vectors.add(user, question)
        return question

    def _question(self, text: str, question: Question | None, reads: ReaderSession) -> Question:
        """As the store's own embedder would have embedded it, or not at all."""
        stored = reads.embedder
        if question is None or not _needs_vector(text, reads):
            return Question(text, (), stored or self.embedder().identity)
        if stored not in (None, question.embedder):
            assert stored is not None
            raise WrongEmbedder(
                f"this snapshot was embedded by {stored}, the question would be by "
                f"{question.embedder}; "
                "configure that embedder, or ingest again with this one"
            )
        return question

    def _run(self, pipeline: Pipeline, given: Mapping[type, Any], reads: ReaderSession) -> Run:
        providers: Providers = {
            SearchReads: lambda _: reads.search,
            GraphReads: lambda _: reads.graph,
            TextReads: lambda values: reads.texts(values[RetrievalPlan]),
            TokenCounter: lambda _: self.tokens(),
            Reranker: lambda values: ReaderReranker(self.rerank_model(), reads, values[Question]),
        }
        return run(pipeline, given, providers, self.clock, self.audit.tracer)


def _needs_vector(text: str, reads: ReaderSession) -> bool:
    return bool(text) and reads.embeddings.name != NOTHING


def _seeds(ids: tuple[str, ...], reads: ReaderSession) -> Seeds:
    return replace(seeds_from_ids(reads.graph, ids), embeddings=reads.embeddings.describe())


def _selectors(snapshots: Sequence[SnapshotName]) -> tuple[SnapshotSelector, ...]:
    return tuple(SnapshotSelector(s.repository, s.branch, s.snapshot) for s in snapshots)
