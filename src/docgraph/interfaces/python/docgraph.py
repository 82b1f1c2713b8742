"""Docgraph: an opened store, with all that can be asked of it and written to it."""

import os
from collections.abc import Callable, Sequence
from typing import Any, Unpack

from docgraph.ingest.progress import ReportProgress, no_progress
from docgraph.ingest.result import IngestResult
from docgraph.interfaces.auth.principals import ReaderLike
from docgraph.interfaces.inputs import access_options, manual_evidence, relation_filter
from docgraph.interfaces.python.open_store import OpenStore, Store
from docgraph.interfaces.python.options import (
    PipelineLike,
    PlanOptions,
    QuestionOptions,
    ScopeOptions,
    SearchOptions,
    build_request,
    check_options,
    load_pipeline,
    scope_of,
)
from docgraph.interfaces.python.result import Result
from docgraph.model.access import LOCAL, LOCAL_ONLY
from docgraph.model.access_policy import DEFAULT_BRANCHES
from docgraph.model.document import NodeText
from docgraph.model.edge import Edge, Relationship
from docgraph.model.errors import BadInput
from docgraph.model.explanation import Explanation
from docgraph.model.snapshot import SnapshotInfo, SnapshotName, Status
from docgraph.pipeline.load import shipped_pipelines
from docgraph.pipeline.receipt import Receipt, receipt_from_json
from docgraph.pipeline.replay import ReplayResult
from docgraph.pipeline.request import QuestionRequest, snapshot_selectors
from docgraph.pipeline.retrieval import Retrieval, SavedPlan, plan_from_json
from docgraph.ports.source import MAX_FILE_BYTES, SourceOptions
from docgraph.wiring.sources import open_source, source_location


class Docgraph(OpenStore):
    """What `docgraph.open` gives. Any number of threads may use one at the same time.

    `as_` says who asks. None is the person at the keyboard, `local`; a name is a person that the
    store knows. A `docgraph.Person` was verified by your program: its groups, labels, clearance
    and rights count as given, since a program that holds the store could read all of it anyway.
    The audit log names `local` as the one who asked for them.
    """

    def search(self, question: str, **options: Unpack[SearchOptions]) -> Result:
        """Finds seeds: ids and scores, never text."""
        request = self._request(question, options, SearchOptions)
        return self._result(self._existing_engine().questions.search(request))

    def plan(self, question: str = "", **options: Unpack[PlanOptions]) -> Result:
        """Selects the documents that may be read, and reads no text. `saved()` is for `execute`."""
        request = self._request(question, options, PlanOptions)
        return self._result(self._existing_engine().questions.plan(request))

    def execute(
        self,
        plan: SavedPlan | str | bytes,
        *,
        as_: ReaderLike = None,
        pipeline: PipelineLike | None = None,
    ) -> Result:
        """Executes a plan, or its JSON: on its own snapshots, with the rights of now."""
        saved = plan if isinstance(plan, SavedPlan) else plan_from_json(plan)
        if pipeline is None and saved.pipeline not in shipped_pipelines():
            raise BadInput(
                f"this plan was made with a pipeline called {saved.pipeline!r}, "
                "which is not shipped; give its file as pipeline="
            )
        reader, steps = (
            self._reader(as_),
            load_pipeline(pipeline or saved.pipeline, self._find_action),
        )
        return self._result(self._existing_engine().questions.execute(reader, saved, steps))

    def retrieve(self, question: str = "", **options: Unpack[QuestionOptions]) -> Result:
        """Gives the context: what a language model would get to read, each item with its why."""
        request = self._request(question, options, QuestionOptions)
        return self._result(self._existing_engine().questions.retrieve(request))

    def ask(
        self,
        question: str = "",
        *,
        on_text: Callable[[str], None] = lambda _: None,
        **options: Unpack[QuestionOptions],
    ) -> Result:
        """Answers with citations, which are checked; without a model the context is the answer.

        `on_text` gets the answer piece by piece, as the model generates it.
        """
        request = self._request(question, options, QuestionOptions)
        return self._result(self._existing_engine().questions.ask(request, on_text=on_text))

    def why(self, node: str, question: str = "", **options: Unpack[QuestionOptions]) -> Explanation:
        """Why a node is in a question's context, or where it was left out and what includes it."""
        request = self._request(question, options, QuestionOptions)
        return self._existing_engine().questions.why(request, node)

    def replay(self, receipt: Receipt | str | bytes, *, as_: ReaderLike = None) -> ReplayResult:
        """Runs the steps of a receipt, or of its JSON, again: the same bytes, or what changed."""
        recorded = receipt if isinstance(receipt, Receipt) else receipt_from_json(receipt)
        return self._existing_engine().questions.replay(self._reader(as_), recorded)

    def nodes(
        self, ids: Sequence[str], *, whole: bool = True, **options: Unpack[ScopeOptions]
    ) -> tuple[NodeText, ...]:
        """Nodes and chunks by id, in the order given; their texts are left out unless `whole`.

        Forbidden and absent ones are missing alike; NotVisible if all of them are.
        """
        check_options(options, ScopeOptions)
        reader, scope = self._reader(options.get("as_")), scope_of(options)
        return self._existing_engine().questions.nodes(reader, ids, scope=scope, whole=whole)

    def node(
        self,
        id: str,  # noqa: A002 - what it is called everywhere else
        *,
        whole: bool = True,
        **options: Unpack[ScopeOptions],
    ) -> NodeText:
        """One node or chunk; NotVisible if there is none that the reader may see."""
        (node,) = self.nodes([id], whole=whole, **options)
        return node

    def ingest(
        self,
        path: Store,
        *,
        as_: ReaderLike = None,
        repository: str | None = None,
        branch: str | None = None,
        ref: str | None = None,
        readers: Sequence[str] = (),
        labels: Sequence[str] = (),
        level: int = 0,
        without: Sequence[str] = (),
        max_bytes: int = MAX_FILE_BYTES,
        progress: ReportProgress = no_progress,
    ) -> IngestResult:
        """Ingests a folder, a file or a commit, as a new snapshot if anything changed.

        An address such as `scheme://…` is read by a plug-in.

        `ref` names a branch, tag or commit of a git repository; `without` switches miners off.
        `readers` are the groups that may read: without any, access.yaml and front matter say so,
        and where they do not, the person at the keyboard alone may. Needs the right `ingest`.
        """
        who = self._reader(as_)
        access = access_options(who.tenant, readers, labels, level)
        rule = access.rule
        options = SourceOptions(repository, branch, ref, max_bytes)
        with open_source(os.fspath(path), options, self._settings.plugins) as opened:
            return self._any_engine().content.ingest(
                who,
                opened.source,
                repository=opened.repository,
                branch=opened.branch,
                rule_for=None if rule is None else lambda _: rule,
                restriction=access.restriction,
                otherwise=LOCAL_ONLY if who.tenant == LOCAL else None,
                without=without,
                origin=opened.origin,
                location=source_location(os.fspath(path), opened.origin.ref),
                progress=progress,
            )

    def set_source(
        self,
        path: Store,
        *,
        repository: str,
        branch: str = DEFAULT_BRANCHES[0],
        ref: str = "",
        as_: ReaderLike = None,
    ) -> None:
        """Fills a branch from another folder, file, repository or address from the next ingest on:
        one that has moved, say. Needs the right `access`."""
        source = source_location(os.fspath(path), ref)
        self._administration().set_source(self._reader(as_), repository, branch, source)

    def relations(
        self,
        node: str | None = None,
        *,
        relation: str | None = None,
        **options: Unpack[ScopeOptions],
    ) -> tuple[Relationship, ...]:
        """Relations with their origins: those of a node or document, of one type, or all.

        `contains` is listed where `relation` asks for it.
        """
        check_options(options, ScopeOptions)
        reader, only = self._reader(options.get("as_")), relation_filter(relation)
        return self._existing_engine().content.relations(reader, scope_of(options), only, node)

    def add_relation(
        self,
        source: str,
        relation: str,
        target: str,
        *,
        note: str = "",
        as_: ReaderLike = None,
        branch: str | None = None,
    ) -> SnapshotName:
        """Adds a manual relation, in a new snapshot. Needs the right `relations`.

        Both ends must exist; `supersedes` and its like are stored both ways. `note` says why it
        holds, and is kept as its evidence.
        """
        edge, scope = Edge(source, relation, target), snapshot_selectors(branch=branch)
        who = self._reader(as_)
        evidence = manual_evidence(source, note)
        return self._existing_engine().content.add_relation(who, edge, evidence, scope)

    def remove_relation(
        self,
        source: str,
        relation: str,
        target: str,
        *,
        as_: ReaderLike = None,
        branch: str | None = None,
    ) -> SnapshotName:
        """Removes a manual relation, in a new snapshot. Needs the right `relations`."""
        edge, scope = Edge(source, relation, target), snapshot_selectors(branch=branch)
        return self._existing_engine().content.remove_relation(self._reader(as_), edge, scope)

    def snapshots(
        self,
        *,
        as_: ReaderLike = None,
        repository: str | None = None,
        branch: str | None = None,
    ) -> tuple[SnapshotInfo, ...]:
        """What can be asked, newest last, each with how many documents the reader sees in it."""
        content = self._existing_engine().content
        return content.snapshots(self._reader(as_), repository, branch)

    def status(self, **options: Unpack[ScopeOptions]) -> Status:
        """The snapshots that a question would be asked of, and how much they hold."""
        check_options(options, ScopeOptions)
        reader = self._reader(options.get("as_"))
        return self._existing_engine().content.status(reader, scope_of(options))

    def _request(self, question: str, options: Any, kind: type) -> QuestionRequest:
        check_options(options, kind)
        return build_request(self._reader(options.get("as_")), question, options, self._find_action)

    def _result(self, retrieval: Retrieval) -> Result:
        content, scope = self._existing_engine().content, retrieval.scope
        states = content.source_states(retrieval.request.reader, scope.snapshots)
        return Result(retrieval.request, scope, retrieval.run, states)
