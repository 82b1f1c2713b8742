"""Questions: each runs a pipeline for one principal."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from docgraph.engine.audit_trail import AuditNote, AuditTrail, open_session
from docgraph.model.access import Principal
from docgraph.model.answer import Answer
from docgraph.model.context import Context, TokenCounter
from docgraph.model.document import NodeText
from docgraph.model.errors import BadPipeline, NotVisible, WrongEmbedder
from docgraph.model.evidence import RetrievedContext
from docgraph.model.explanation import Explanation
from docgraph.model.plan import RetrievalPlan
from docgraph.model.question import Question
from docgraph.model.seeds import Seeds
from docgraph.model.snapshot import ALL_REPOSITORIES, SnapshotSelector
from docgraph.pipeline.fit_budget import fit_budget
from docgraph.pipeline.pipeline import Pipeline
from docgraph.pipeline.planned_reads import ReaderReranker, read_node_texts
from docgraph.pipeline.receipt import Receipt
from docgraph.pipeline.replay import ReplayResult, node_ids_in, replay, require_same_embedding
from docgraph.pipeline.request import checked_ids, checked_question, seeds_from_ids
from docgraph.pipeline.retrieval import Retrieval, SavedPlan
from docgraph.pipeline.run import Run, continue_run, run
from docgraph.ports.graph_reads import GraphReads
from docgraph.ports.models import ChatModel, ChatModelChain, Embedder, Reranker, RerankModel
from docgraph.ports.search_reads import SearchReads
from docgraph.ports.store import ReaderSession, Store
from docgraph.ports.text_reads import TextReads


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

    def retrieve(
        self,
        principal: Principal,
        question: str,
        pipeline: Pipeline,
        *,
        seeds: Sequence[str] = (),
        wanted: Sequence[SnapshotSelector] = ALL_REPOSITORIES,
    ) -> Retrieval:
        """Runs the pipeline up to its context; explicit ids take the place of search."""
        with self.audit.record(principal, "retrieve") as note:
            return self._retrieved(
                principal, question, pipeline.before(Answer), tuple(seeds), wanted, note
            )

    def ask(
        self,
        principal: Principal,
        question: str,
        pipeline: Pipeline,
        *,
        seeds: Sequence[str] = (),
        wanted: Sequence[SnapshotSelector] = ALL_REPOSITORIES,
        on_text: Callable[[str], None] = lambda _: None,
    ) -> Retrieval:
        """Runs the whole pipeline, its answer included, which `heard` gets piece by piece.

        The store is let go of before a model is asked: that may take long.
        """
        if not any(step.action.makes is Answer for step in pipeline.steps):
            raise BadPipeline(
                f"pipeline {pipeline.name!r} gives no answer; end it with `- answer_question: {{}}`"
            )
        models = self.chat_models()
        with self.audit.record(principal, "ask") as note:
            fetching = pipeline.before(Context)
            done = self._retrieved(principal, question, fetching, tuple(seeds), wanted, note)
            rest = Pipeline(pipeline.name, pipeline.steps[len(fetching.steps) :])
            evidence, tokens = done.run.get(RetrievedContext), self.tokens()
            windows: dict[type, Callable[[Mapping[type, Any]], Any]] = {
                TokenCounter: lambda _: tokens,
                ChatModelChain: lambda _: ChatModelChain(models, on_text),
            }
            rest = fit_budget(rest, evidence, tokens, models)
            further = continue_run(done.run, rest, windows, self.clock, self.audit.tracer)
            found = Retrieval(done.scope, further)
            said = found.answer
            note.detail = f"{said.kind}: {said.asking.model if said.asking else said.reason}"
            note.refused = said.reason if said.kind == "refused" else ""
            return found

    def execute(self, principal: Principal, saved: SavedPlan, pipeline: Pipeline) -> Retrieval:
        """Obeys a plan: on its own snapshots, with the rights the reader has now."""
        wanted = tuple(
            SnapshotSelector(s.repository, s.branch, s.snapshot) for s in saved.snapshots
        )
        visible = tuple(wish for wish in wanted if self._sees(principal, wish))
        with self.audit.read(self.store, principal, "execute", visible) as (reads, note):
            note.plan = saved.plan.digest
            note.missing(saved.plan.order, reads.graph.visible_ids(saved.plan.order))
            if reads.embedder not in (None, saved.plan.embedder):
                raise WrongEmbedder(f"the plan was made with {saved.plan.embedder.name}")
            given: dict[type, Any] = {RetrievalPlan: saved.plan}
            steps = pipeline.before(Answer).starting_from(RetrievalPlan)
            return Retrieval(reads.scope, self._run(steps, given, reads))

    def replay(self, principal: Principal, receipt: Receipt) -> ReplayResult:
        """Does again what a receipt tells, with the rights the reader has now, and compares."""
        with self.audit.record(principal, "replay") as note:
            note.plan = receipt.plan.digest
            return replay(receipt, principal, lambda p: self._again(principal, receipt, p, note))

    def why(
        self,
        principal: Principal,
        question: str,
        node: str,
        pipeline: Pipeline,
        *,
        seeds: Sequence[str] = (),
        wanted: Sequence[SnapshotSelector] = ALL_REPOSITORIES,
    ) -> Explanation:
        """Why a node is in this question's context, or where it fell out and what lets it in."""
        from docgraph.pipeline.why_not.why_not import why_not

        text = checked_question(question, seeds)
        with self.audit.record(principal, "why") as note:
            asked = self._embedded(text) if text else None
            with open_session(self.store, principal, wanted, note) as reads:
                given: dict[type, Any] = {Question: self._question(asked, reads)}
                if seeds:
                    given[Seeds] = seeds_from_ids(reads.graph, seeds)
                    pipeline = pipeline.starting_from(Seeds)
                found = why_not(node, pipeline, given, reads, partial(self._run, reads=reads))
                unseen = (node,) if found.stage == "not visible" else ()
                note.missing((*seeds, *unseen), given[Seeds].ids if seeds else ())
                return found

    def nodes(
        self,
        principal: Principal,
        ids: Sequence[str],
        *,
        wanted: Sequence[SnapshotSelector] = ALL_REPOSITORIES,
        whole: bool = True,
    ) -> tuple[NodeText, ...]:
        """Nodes and chunks by id, in the order given, with their texts unless not `whole`.

        What is forbidden and what is not there are left out alike.
        """
        named = checked_ids(ids)
        with self.audit.read(self.store, principal, "nodes", wanted) as (reads, note):
            embedder = reads.embedder
            found = read_node_texts(reads, named, embedder, with_text=whole) if embedder else ()
            note.missing(named, (node.id for node in found))
            return found

    def _retrieved(
        self,
        principal: Principal,
        question: str,
        pipeline: Pipeline,
        seeds: tuple[str, ...],
        wanted: Sequence[SnapshotSelector],
        note: AuditNote,
    ) -> Retrieval:
        text = checked_question(question, seeds)
        asked = self._embedded(text) if text else None
        with open_session(self.store, principal, wanted, note) as reads:
            given: dict[type, Any] = {Question: self._question(asked, reads)}
            if seeds:
                given[Seeds] = seeds_from_ids(reads.graph, seeds)
                note.missing(seeds, given[Seeds].ids)
                pipeline = pipeline.starting_from(Seeds)
            done = Retrieval(reads.scope, self._run(pipeline, given, reads))
            note.plan = done.plan.digest if RetrievalPlan in done.run.values else ""
            return done

    def _again(
        self, principal: Principal, receipt: Receipt, pipeline: Pipeline, note: AuditNote
    ) -> Retrieval:
        """All that the receipt names must be visible, before anything is done."""
        asked = self._embedded(receipt.question) if receipt.question else None
        asked = asked and require_same_embedding(receipt, asked)
        named = node_ids_in(receipt.plan)
        note.missing(named, ())
        wanted = tuple(
            SnapshotSelector(s.repository, s.branch, s.snapshot) for s in receipt.snapshots
        )
        with open_session(self.store, principal, wanted, note) as reads:
            note.missing(named, reads.graph.visible_ids(named))
            if note.unseen:
                raise NotVisible("not everything is visible")
            given: dict[type, Any] = {
                Question: require_same_embedding(receipt, self._question(asked, reads))
            }
            if receipt.seeds:
                given[Seeds] = seeds_from_ids(reads.graph, receipt.seeds)
            return Retrieval(reads.scope, self._run(pipeline, given, reads))

    def _sees(self, principal: Principal, wish: SnapshotSelector) -> bool:
        """A plan does not outlive its permission: what is gone leaves an empty scope behind."""
        try:
            with self.store.open_session(principal, (wish,)):
                return True
        except NotVisible:
            return False

    def _embedded(self, text: str) -> Question:
        """Before the store is opened: an embedder may be slow, and holds nobody up here."""
        with self.audit.tracer.span("embed_question") as span:
            embedder = self.embedder()
            vector = tuple(embedder.embed([text])[0].tolist())
            span.set({"docgraph.embedder": embedder.identity.name})
        return Question(text, vector, embedder.identity)

    def _question(self, asked: Question | None, reads: ReaderSession) -> Question:
        """As the store's own embedder would have embedded it, or not at all."""
        held = reads.embedder
        if asked is None:
            return Question("", (), held or self.embedder().identity)
        if held not in (None, asked.embedder):
            assert held is not None
            raise WrongEmbedder(
                f"this snapshot was embedded by {held.name} ({held.digest[:12]}), the question "
                f"would be by {asked.embedder.name} ({asked.embedder.digest[:12]}); "
                "configure that embedder, or ingest again with this one"
            )
        return asked

    def _run(self, pipeline: Pipeline, given: Mapping[type, Any], reads: ReaderSession) -> Run:
        windows: Mapping[type, Callable[[Mapping[type, Any]], Any]] = {
            SearchReads: lambda _: reads.search,
            GraphReads: lambda _: reads.graph,
            TextReads: lambda values: reads.texts(values[RetrievalPlan]),
            TokenCounter: lambda _: self.tokens(),
            Reranker: lambda values: ReaderReranker(self.rerank_model(), reads, values[Question]),
        }
        return run(pipeline, given, windows, self.clock, self.audit.tracer)
