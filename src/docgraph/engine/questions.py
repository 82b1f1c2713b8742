"""Asking: one question walks through the whole house. Every way in names a principal."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from docgraph.engine.audit_trail import Note, audited
from docgraph.model.access import Ceiling, Principal
from docgraph.model.answer import Answer
from docgraph.model.context import Context, TokenCounter
from docgraph.model.document import NodeText
from docgraph.model.errors import BadPipeline, NotVisible, WrongEmbedder
from docgraph.model.evidence import RetrievedContext
from docgraph.model.explanation import WhyNot
from docgraph.model.plan import RetrievalPlan
from docgraph.model.question import Question
from docgraph.model.seeds import Seeds
from docgraph.model.snapshot import EVERYTHING, Wanted
from docgraph.pipeline.fit_budget import fitted
from docgraph.pipeline.pipeline import Pipeline
from docgraph.pipeline.planned_reads import BoundReranker, node_texts
from docgraph.pipeline.receipt import Receipt
from docgraph.pipeline.replay import Replayed, asked_alike, named_in, replay
from docgraph.pipeline.request import checked_ids, checked_question, explicit
from docgraph.pipeline.retrieval import Retrieval, SavedPlan
from docgraph.pipeline.run import Run, continued, run
from docgraph.ports.audit import AuditLog
from docgraph.ports.graph_reads import GraphReads
from docgraph.ports.models import ChatModel, ChatModels, Embedder, Reranker, RerankModel
from docgraph.ports.search_reads import SearchReads
from docgraph.ports.store import Reads, Store
from docgraph.ports.text_reads import TextReads
from docgraph.ports.tracer import SILENT, Tracer


class Asking:
    def __init__(
        self,
        store: Store,
        embedder: Callable[[], Embedder],
        tokens: Callable[[], TokenCounter],
        rerank_model: Callable[[], RerankModel | None],
        clock: Callable[[], float],
        audit: AuditLog,
        *,
        embedder_ceiling: Ceiling | None = None,
        chat_models: Callable[[], tuple[ChatModel, ...]] = tuple,
        tracer: Tracer = SILENT,
    ) -> None:
        """Embedder and tokenizer are made when first needed: both take time to load.

        `embedder_ceiling` bounds what an ingest may send to an embedder that runs elsewhere.
        """
        self.store = store
        self._embedder = embedder
        self._tokens = tokens
        self._rerank_model = rerank_model
        self._clock = clock
        self._audit = audit
        self._embedder_ceiling = embedder_ceiling
        self._chat_models = chat_models
        self.tracer = tracer

    def retrieve(
        self,
        principal: Principal,
        question: str,
        pipeline: Pipeline,
        *,
        seeds: Sequence[str] = (),
        wanted: Sequence[Wanted] = EVERYTHING,
    ) -> Retrieval:
        """Runs the pipeline up to its context; explicit ids take the place of search."""
        with self._noted(principal, "retrieve") as note:
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
        wanted: Sequence[Wanted] = EVERYTHING,
        heard: Callable[[str], None] = lambda _: None,
    ) -> Retrieval:
        """Runs the whole pipeline, its answer included, which `heard` gets piece by piece.

        The store is let go of before a model is asked: that may take long.
        """
        if not any(step.action.makes is Answer for step in pipeline.steps):
            raise BadPipeline(
                f"pipeline {pipeline.name!r} gives no answer; end it with `- answer_question: {{}}`"
            )
        models = self._chat_models()
        with self._noted(principal, "ask") as note:
            fetching = pipeline.before(Context)
            done = self._retrieved(principal, question, fetching, tuple(seeds), wanted, note)
            rest = Pipeline(pipeline.name, pipeline.steps[len(fetching.steps) :])
            evidence, tokens = done.run.get(RetrievedContext), self._tokens()
            windows: dict[type, Callable[[Mapping[type, Any]], Any]] = {
                TokenCounter: lambda _: tokens,
                ChatModels: lambda _: ChatModels(models, heard),
            }
            rest = fitted(rest, evidence, tokens, models)
            further = continued(done.run, rest, windows, self._clock, self.tracer)
            found = Retrieval(done.scope, further)
            said = found.answer
            note.detail = f"{said.kind}: {said.asking.model if said.asking else said.reason}"
            note.refused = said.reason if said.kind == "refused" else ""
            return found

    def execute(self, principal: Principal, saved: SavedPlan, pipeline: Pipeline) -> Retrieval:
        """Obeys a plan: on its own snapshots, with the rights the reader has now."""
        wanted = tuple(Wanted(s.repository, s.branch, s.snapshot) for s in saved.snapshots)
        visible = tuple(wish for wish in wanted if self._sees(principal, wish))
        with self._asked(principal, "execute", visible) as (reads, note):
            note.plan = saved.plan.digest
            note.missing(saved.plan.order, reads.graph.present(saved.plan.order))
            if reads.embedder not in (None, saved.plan.embedder):
                raise WrongEmbedder(f"the plan was made with {saved.plan.embedder.name}")
            given: dict[type, Any] = {RetrievalPlan: saved.plan}
            steps = pipeline.before(Answer).starting_from(RetrievalPlan)
            return Retrieval(reads.scope, self._run(steps, given, reads))

    def replay(self, principal: Principal, receipt: Receipt) -> Replayed:
        """Does again what a receipt tells, with the rights the reader has now, and compares."""
        with self._noted(principal, "replay") as note:
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
        wanted: Sequence[Wanted] = EVERYTHING,
    ) -> WhyNot:
        """Why a node is in this question's context, or where it fell out and what lets it in."""
        from docgraph.pipeline.why_not.why_not import why_not

        text = checked_question(question, seeds)
        with self._noted(principal, "why") as note:
            asked = self._embedded(text) if text else None
            with self._reads(principal, wanted, note) as reads:
                given: dict[type, Any] = {Question: self._question(asked, reads)}
                if seeds:
                    given[Seeds] = explicit(reads.graph, seeds)
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
        wanted: Sequence[Wanted] = EVERYTHING,
        whole: bool = True,
    ) -> tuple[NodeText, ...]:
        """Nodes and chunks by id, in the order given, with their texts unless not `whole`.

        What is forbidden and what is not there are left out alike.
        """
        named = checked_ids(ids)
        with self._asked(principal, "nodes", wanted) as (reads, note):
            embedder = reads.embedder
            found = node_texts(reads, named, embedder, whole=whole) if embedder else ()
            note.missing(named, (node.id for node in found))
            return found

    def _retrieved(
        self,
        principal: Principal,
        question: str,
        pipeline: Pipeline,
        seeds: tuple[str, ...],
        wanted: Sequence[Wanted],
        note: Note,
    ) -> Retrieval:
        text = checked_question(question, seeds)
        asked = self._embedded(text) if text else None
        with self._reads(principal, wanted, note) as reads:
            given: dict[type, Any] = {Question: self._question(asked, reads)}
            if seeds:
                given[Seeds] = explicit(reads.graph, seeds)
                note.missing(seeds, given[Seeds].ids)
                pipeline = pipeline.starting_from(Seeds)
            done = Retrieval(reads.scope, self._run(pipeline, given, reads))
            note.plan = done.plan.digest if RetrievalPlan in done.run.values else ""
            return done

    def _again(
        self, principal: Principal, receipt: Receipt, pipeline: Pipeline, note: Note
    ) -> Retrieval:
        """All that the receipt names must be visible, before anything is done."""
        asked = self._embedded(receipt.question) if receipt.question else None
        asked = asked and asked_alike(receipt, asked)
        named = named_in(receipt.plan)
        note.missing(named, ())
        wanted = tuple(Wanted(s.repository, s.branch, s.snapshot) for s in receipt.snapshots)
        with self._reads(principal, wanted, note) as reads:
            note.missing(named, reads.graph.present(named))
            if note.unseen:
                raise NotVisible("not everything is visible")
            given: dict[type, Any] = {Question: asked_alike(receipt, self._question(asked, reads))}
            if receipt.seeds:
                given[Seeds] = explicit(reads.graph, receipt.seeds)
            return Retrieval(reads.scope, self._run(pipeline, given, reads))

    def _sees(self, principal: Principal, wish: Wanted) -> bool:
        """A plan does not outlive its permission: what is gone leaves an empty scope behind."""
        try:
            with self.store.reads_as(principal, (wish,)):
                return True
        except NotVisible:
            return False

    @contextmanager
    def _noted(
        self,
        principal: Principal,
        action: str,
        *,
        right: str | None = None,
        changes: str | None = None,
    ) -> Iterator[Note]:
        """The note becomes a row in the audit log, and its ids and counts a span for operators."""
        with (
            self.tracer.span(f"docgraph {action}") as span,
            audited(self._audit, principal, action, right=right, changes=changes) as note,
        ):
            yield note
            if span.listens:
                span.tell(note.facts(principal))

    @contextmanager
    def _asked(
        self, principal: Principal, action: str, wanted: Sequence[Wanted]
    ) -> Iterator[tuple[Reads, Note]]:
        """One reader's view, and the note that becomes a row in the audit log."""
        with (
            self._noted(principal, action) as note,
            self._reads(principal, wanted, note) as reads,
        ):
            yield reads, note

    @contextmanager
    def _reads(self, principal: Principal, wanted: Sequence[Wanted], note: Note) -> Iterator[Reads]:
        with self.store.reads_as(principal, wanted) as reads:
            note.asked_of(reads.scope)
            yield reads

    def _embedded(self, text: str) -> Question:
        """Before the store is opened: an embedder may be slow, and holds nobody up here."""
        with self.tracer.span("embed_question") as span:
            embedder = self._embedder()
            vector = tuple(embedder.embed([text])[0].tolist())
            span.tell({"docgraph.embedder": embedder.identity.name})
        return Question(text, vector, embedder.identity)

    def _question(self, asked: Question | None, reads: Reads) -> Question:
        """As the store's own embedder would have embedded it, or not at all."""
        held = reads.embedder
        if asked is None:
            return Question("", (), held or self._embedder().identity)
        if held not in (None, asked.embedder):
            assert held is not None
            raise WrongEmbedder(
                f"this snapshot was embedded by {held.name} ({held.digest[:12]}), the question "
                f"would be by {asked.embedder.name} ({asked.embedder.digest[:12]}); "
                "configure that embedder, or ingest again with this one"
            )
        return asked

    def _run(self, pipeline: Pipeline, given: Mapping[type, Any], reads: Reads) -> Run:
        windows: Mapping[type, Callable[[Mapping[type, Any]], Any]] = {
            SearchReads: lambda _: reads.search,
            GraphReads: lambda _: reads.graph,
            TextReads: lambda values: reads.texts(values[RetrievalPlan]),
            TokenCounter: lambda _: self._tokens(),
            Reranker: lambda values: BoundReranker(self._rerank_model(), reads, values[Question]),
        }
        return run(pipeline, given, windows, self._clock, self.tracer)
