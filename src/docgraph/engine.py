"""The engine: one question walks through the whole house. Every way in names a principal."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from docgraph.audited import Note, audited
from docgraph.ingest.result import IngestResult, Progress
from docgraph.model.access import INGEST, AccessRule, Principal
from docgraph.model.access import RELATIONS as RELATE
from docgraph.model.answer import Answer
from docgraph.model.context import Context
from docgraph.model.digest import digest
from docgraph.model.edge import HAND, Edge, Evidence, Relationship, both_ways
from docgraph.model.egress import Ceiling
from docgraph.model.errors import BadInput, BadPipeline, NotVisible, WrongEmbedder
from docgraph.model.evidence import RetrievedContext
from docgraph.model.identity import repository_of
from docgraph.model.plan import RetrievalPlan
from docgraph.model.question import EmbedderIdentity, Question
from docgraph.model.relation import RELATIONS
from docgraph.model.relation_counts import RelationCounts, counted
from docgraph.model.scope import EVERYTHING, SnapshotName, Wanted
from docgraph.model.seeds import Seeds
from docgraph.model.snapshot import SnapshotInfo
from docgraph.model.snapshot_diff import Side, SnapshotDiff, difference
from docgraph.model.status import Status
from docgraph.model.tokens import TokenCounter
from docgraph.model.why_not import WhyNot
from docgraph.model.would_fit import would_fit
from docgraph.pipeline.asked import checked_question, explicit
from docgraph.pipeline.bound_reranker import BoundReranker
from docgraph.pipeline.fitted import fitted
from docgraph.pipeline.pipeline import Pipeline
from docgraph.pipeline.receipt import Receipt
from docgraph.pipeline.replay import asked_alike, named_in, replay
from docgraph.pipeline.replayed import Replayed
from docgraph.pipeline.retrieval import Retrieval
from docgraph.pipeline.run import Run, continued, run
from docgraph.pipeline.saved_plan import SavedPlan
from docgraph.plan.settle import confirmed, settled
from docgraph.ports.audit import AuditLog
from docgraph.ports.chat import ChatModel
from docgraph.ports.chat_models import ChatModels
from docgraph.ports.embedder import Embedder
from docgraph.ports.graph_reads import GraphReads
from docgraph.ports.reranker import Reranker, RerankModel
from docgraph.ports.search_reads import SearchReads
from docgraph.ports.source import Source
from docgraph.ports.store import Reads, Store
from docgraph.ports.text_reads import TextReads
from docgraph.ports.writes import Origin, Writes

LONGEST_NAME = 200


class Engine:
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
        with audited(self._audit, principal, "retrieve") as note:
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
        with audited(self._audit, principal, "ask") as note:
            fetching = pipeline.before(Context)
            done = self._retrieved(principal, question, fetching, tuple(seeds), wanted, note)
            rest = Pipeline(pipeline.name, pipeline.steps[len(fetching.steps) :])
            evidence, tokens = done.run.get(RetrievedContext), self._tokens()
            windows: dict[type, Callable[[Mapping[type, Any]], Any]] = {
                TokenCounter: lambda _: tokens,
                ChatModels: lambda _: ChatModels(models, heard),
            }
            rest = fitted(rest, evidence, tokens, models)
            found = Retrieval(done.scope, continued(done.run, rest, windows, self._clock))
            said = found.answer
            note.detail = f"{said.kind}: {said.asking.model if said.asking else said.reason}"
            note.refused = said.reason if said.kind == "refused" else ""
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
        with audited(self._audit, principal, "replay") as note:
            note.plan = receipt.plan.digest
            return replay(receipt, principal, lambda p: self._again(principal, receipt, p, note))

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

    def ingest(
        self,
        principal: Principal,
        source: Source,
        *,
        repository: str,
        branch: str,
        rule_for: Callable[[str], AccessRule] | None = None,
        otherwise: AccessRule | None = None,
        narrowed_by: AccessRule | None = None,
        without: Sequence[str] = (),
        given: Sequence[Relationship] = (),
        origin: Origin | None = None,
        progress: Callable[[Progress], None] = lambda _: None,
    ) -> IngestResult:
        """A new snapshot of a branch, if anything changed.

        `rule_for` says who may read, by path; the source's own access.yaml and front matter
        narrow it. `otherwise` counts for what nobody speaks of; without it, nobody reads that.
        `narrowed_by` counts beside whoever speaks.
        `without` names miners to switch off; `origin` is the commit that the source stands for.
        """
        # Readers of every format take longer to import than a question takes to answer.
        from docgraph.ingest.mine.mine import miners_without
        from docgraph.ingest.run import ingest

        for name in (repository, branch):
            if not name.strip() or not name.isprintable() or len(name) > LONGEST_NAME:
                raise BadInput(f"{name!r} cannot name a repository or branch")
        tenant = principal.tenant
        told = f"{repository} {branch}"
        with audited(self._audit, principal, "ingest", right=INGEST, changes=told):
            embedder = self._embedder()
            with self.store.writes(tenant, repository, branch, embedder.identity) as writes:
                return ingest(
                    source,
                    writes,
                    embedder,
                    repository=repository,
                    tenant=tenant,
                    rule_for=rule_for,
                    otherwise=otherwise,
                    narrowed_by=narrowed_by,
                    miners=miners_without(without),
                    given=given,
                    origin=origin,
                    progress=progress,
                    ceiling=self._embedder_ceiling,
                )

    def status(self, principal: Principal, wanted: Sequence[Wanted] = EVERYTHING) -> Status:
        with self._asked(principal, "status", wanted) as (reads, _):
            return Status(reads.scope, reads.counts(), reads.embedder)

    def relations(
        self,
        principal: Principal,
        wanted: Sequence[Wanted] = EVERYTHING,
        only: frozenset[str] | None = None,
    ) -> tuple[Relationship, ...]:
        """Every edge this reader's planning would see: `only` these, or all but `contains`."""
        with self._asked(principal, "relations", wanted) as (reads, _):
            return confirmed(settled(reads.graph.listed(only)), reads.graph)

    def relation_counts(
        self, principal: Principal, wanted: Sequence[Wanted] = EVERYTHING
    ) -> RelationCounts:
        """Every edge this reader's planning would see, by relation and by who found it."""
        with self._asked(principal, "relations", wanted) as (reads, _):
            found = confirmed(settled(reads.graph.listed(frozenset(RELATIONS))), reads.graph)
            return counted(found, reads.graph.places(), reads.graph.opaque())

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
        with audited(self._audit, principal, "why") as note:
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

    def snapshots(self, principal: Principal) -> tuple[SnapshotInfo, ...]:
        with audited(self._audit, principal, "snapshots"):
            return self.store.snapshots(principal)

    def diff_snapshots(
        self, principal: Principal, old: SnapshotName, new: SnapshotName
    ) -> SnapshotDiff:
        """What this reader sees gained, lost and changed from one snapshot to another."""
        sides = []
        for name in (old, new):
            wish = Wanted(name.repository, name.branch, name.snapshot)
            with self._asked(principal, "diff-snapshots", (wish,)) as (reads, _):
                edges = confirmed(settled(reads.graph.listed()), reads.graph)
                sides.append(Side(reads.versions(), frozenset(found.edge for found in edges)))
        return difference(*sides)

    def content_digest(self, principal: Principal, wanted: Sequence[Wanted] = EVERYTHING) -> str:
        """One digest of everything this reader sees: two ingests of one tree give the same."""
        with self._asked(principal, "digest", wanted) as (reads, _):
            edges = confirmed(settled(reads.graph.listed(frozenset(RELATIONS))), reads.graph)
            return digest((tuple(reads.contents()), edges))

    def add_relation(
        self,
        principal: Principal,
        edge: Edge,
        evidence: tuple[Evidence, ...] = (),
        wanted: Sequence[Wanted] = EVERYTHING,
    ) -> SnapshotName:
        """A relation to nothing is refused. Lifecycle relations store their inverse too."""
        with self._relating(principal, "relations add", edge, wanted) as writes:
            both = both_ways(edge)
            writes.add_by_hand([Relationship(found, (HAND,), evidence) for found in both])
            return writes.publish()

    def remove_relation(
        self, principal: Principal, edge: Edge, wanted: Sequence[Wanted] = EVERYTHING
    ) -> SnapshotName:
        with self._relating(principal, "relations rm", edge, wanted) as writes:
            if not writes.remove_by_hand(both_ways(edge)):
                raise BadInput(
                    f"nobody added {edge.source} {edge.relation} {edge.target} by hand; "
                    "a mined relation goes when its text no longer says so"
                )
            return writes.publish()

    @contextmanager
    def _relating(
        self, principal: Principal, action: str, edge: Edge, wanted: Sequence[Wanted]
    ) -> Iterator[Writes]:
        told = f"{edge.source} {edge.relation} {edge.target}"
        with audited(self._audit, principal, action, right=RELATE, changes=told):
            home, embedder = self._home(principal, edge, wanted)
            place = (principal.tenant, home.repository, home.branch)
            with self.store.writes(*place, embedder) as writes:
                yield writes

    def _home(
        self, principal: Principal, edge: Edge, wanted: Sequence[Wanted]
    ) -> tuple[SnapshotName, EmbedderIdentity]:
        """The source's branch. Absent and forbidden ends read alike."""
        if edge.relation not in RELATIONS:
            fitting = would_fit(edge.relation, RELATIONS)
            raise BadInput(f"no relation is called {edge.relation!r}; {fitting}")
        with self.store.reads_as(principal, wanted) as reads:
            for end in (edge.source, edge.target):
                if not reads.graph.present((end,)):
                    raise NotVisible(f"no visible node has the id {end!r}")
            repository = repository_of(edge.source)
            home = next(s for s in reads.scope.snapshots if s.repository == repository)
        with self.store.reads_as(principal, (Wanted(home.repository, home.branch),)) as reads:
            return home, reads.embedder or self._embedder().identity

    @contextmanager
    def _asked(
        self, principal: Principal, action: str, wanted: Sequence[Wanted]
    ) -> Iterator[tuple[Reads, Note]]:
        """One reader's view, and the note that becomes a row in the audit log."""
        with (
            audited(self._audit, principal, action) as note,
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
        embedder = self._embedder()
        vector = tuple(int(value) for value in embedder.embed([text])[0])
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
        return run(pipeline, given, windows, self._clock)
