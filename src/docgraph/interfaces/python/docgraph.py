"""Docgraph: an opened store, with all that can be asked of it and written to it."""

import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Self

from docgraph.ingest.result import IngestResult, Progress
from docgraph.interfaces.auth.principals import AskedAs, principal_for
from docgraph.interfaces.inputs import access_options, manual_evidence, relation_filter
from docgraph.interfaces.python.result import Result
from docgraph.model.access import LOCAL, LOCAL_ONLY, Principal
from docgraph.model.document import NodeText
from docgraph.model.edge import Edge, Relationship
from docgraph.model.errors import BadInput, NotVisible
from docgraph.model.explanation import Explanation
from docgraph.model.plan import RetrievalPlan
from docgraph.model.seeds import Seeds
from docgraph.model.snapshot import (
    ALL_REPOSITORIES,
    SnapshotInfo,
    SnapshotName,
    SnapshotSelector,
    Status,
)
from docgraph.pipeline.load import load, shipped
from docgraph.pipeline.pipeline import Pipeline
from docgraph.pipeline.receipt import Receipt, receipt_from_json
from docgraph.pipeline.replay import ReplayResult
from docgraph.pipeline.retrieval import Retrieval, SavedPlan, plan_from_json
from docgraph.wiring.backends import absolute_store, check_store_url, redacted_store, require_store
from docgraph.wiring.settings import read_settings
from docgraph.wiring.sources import MAX_FILE_BYTES, open_source

if TYPE_CHECKING:
    from docgraph.engine import Engine
    from docgraph.engine.administration import Administration
    from docgraph.model.access import Principal


# Opened: a store as its settings say. It is opened with the first question.


Store = str | os.PathLike[str]


class Opened:
    def __init__(self, store: Store | None = None) -> None:
        """Settings count as they are now: the environment, and docgraph.yaml of this folder."""
        named = None if store is None else os.fspath(store)
        settings = check_store_url(read_settings(os.environ, Path.cwd(), named))
        self._settings = replace(settings, store=absolute_store(settings.store))
        self._lock = threading.Lock()
        self._engine: Engine | None = None

    @property
    def store(self) -> str:
        """Where it is: a path, or an address without its password."""
        return redacted_store(self._settings.store)

    def saved_store(self) -> str:
        """As a file may hold it; what cannot be shown as it stands may hold a password."""
        if self.store != self._settings.store:
            raise BadInput(
                "a store's address may hold a password, so it is not saved; "
                "leave it out, and set DOCGRAPH_STORE"
            )
        return self.store

    def close(self) -> None:
        """Lets go of models and files, until the next question.

        Connections to Postgres are the whole process's, and stay.
        """
        with self._lock:
            self._engine = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.store!r})"

    def _asking(self) -> "Engine":
        """Of a store that is there; writing makes one."""
        require_store(self._settings)
        return self._writing()

    def _writing(self) -> "Engine":
        with self._lock:
            if self._engine is None:
                from docgraph.wiring.build import build_engine

                self._engine = build_engine(self._settings)
            return self._engine

    def _reader(self, who: AskedAs) -> "Principal":
        return principal_for(who, self._administration)

    def _administration(self) -> "Administration":
        from docgraph.wiring.build import build_administration

        return build_administration(require_store(self._settings))


# Questions: all that can be asked of an opened store.


Steps = str | os.PathLike[str] | Pipeline


class Questions(Opened):
    """`as_` says who asks. None is the person at the keyboard, `local`; a name is someone whom
    the store knows. A `docgraph.Person` is someone whom your program has verified: its groups,
    labels, clearance and rights count as given, since a program that holds the store could read
    all of it anyway. The audit names `local` as the one who asked for them.

    `pipeline` is a shipped pipeline's name, the path of a YAML file, or a loaded Pipeline.
    `repository`, `branch` and `snapshot` say what is asked: without them, the newest snapshot of
    every repository. `seeds` are ids to start from, in place of search.
    """

    def search(
        self,
        question: str,
        *,
        as_: AskedAs = None,
        pipeline: Steps = "documents",
        repository: str | None = None,
        branch: str | None = None,
        snapshot: int | None = None,
    ) -> Result:
        """Finds seeds: ids and scores, never text."""
        reader, wanted = self._reader(as_), wanted_of(repository, branch, snapshot)
        steps = steps_of(pipeline).up_to(Seeds)
        return _found(
            self._asking().questions.retrieve(reader, question, steps, wanted=wanted), reader
        )

    def plan(
        self,
        question: str = "",
        *,
        as_: AskedAs = None,
        seeds: Sequence[str] = (),
        pipeline: Steps = "documents",
        repository: str | None = None,
        branch: str | None = None,
        snapshot: int | None = None,
    ) -> Result:
        """Decides which documents may speak, and reads no text. `saved()` is for `execute`."""
        reader, wanted = self._reader(as_), wanted_of(repository, branch, snapshot)
        steps = steps_of(pipeline).up_to(RetrievalPlan)
        found = self._asking().questions.retrieve(
            reader, question, steps, seeds=seeds, wanted=wanted
        )
        return _found(found, reader, seeds)

    def execute(
        self, plan: SavedPlan | str | bytes, *, as_: AskedAs = None, pipeline: Steps | None = None
    ) -> Result:
        """Obeys a plan, or its JSON: on its own snapshots, with the rights the reader has now."""
        saved = plan if isinstance(plan, SavedPlan) else plan_from_json(plan)
        if pipeline is None and saved.pipeline not in shipped():
            raise BadInput(
                f"this plan was made with a pipeline called {saved.pipeline!r}, "
                "which is not shipped; give its file as pipeline="
            )
        reader, steps = self._reader(as_), steps_of(pipeline or saved.pipeline)
        return _found(self._asking().questions.execute(reader, saved, steps), reader)

    def retrieve(
        self,
        question: str = "",
        *,
        as_: AskedAs = None,
        seeds: Sequence[str] = (),
        max_tokens: int | None = None,
        pipeline: Steps = "documents",
        repository: str | None = None,
        branch: str | None = None,
        snapshot: int | None = None,
    ) -> Result:
        """Gives the context: what a language model would get to read, each item with its why."""
        reader, wanted = self._reader(as_), wanted_of(repository, branch, snapshot)
        steps = steps_of(pipeline, max_tokens)
        found = self._asking().questions.retrieve(
            reader, question, steps, seeds=seeds, wanted=wanted
        )
        return _found(found, reader, seeds)

    def ask(
        self,
        question: str = "",
        *,
        as_: AskedAs = None,
        heard: Callable[[str], None] = lambda _: None,
        seeds: Sequence[str] = (),
        max_tokens: int | None = None,
        pipeline: Steps = "documents",
        repository: str | None = None,
        branch: str | None = None,
        snapshot: int | None = None,
    ) -> Result:
        """Answers with citations, which are checked; without a model the context is the answer.

        `heard` gets the answer piece by piece, as the model says it.
        """
        reader, wanted = self._reader(as_), wanted_of(repository, branch, snapshot)
        steps = steps_of(pipeline, max_tokens)
        found = self._asking().questions.ask(
            reader, question, steps, seeds=seeds, wanted=wanted, on_text=heard
        )
        return _found(found, reader, seeds)

    def why(
        self,
        node: str,
        question: str = "",
        *,
        as_: AskedAs = None,
        seeds: Sequence[str] = (),
        max_tokens: int | None = None,
        pipeline: Steps = "documents",
        repository: str | None = None,
        branch: str | None = None,
        snapshot: int | None = None,
    ) -> Explanation:
        """Why a node is in a question's context, or where it fell out and what lets it in."""
        reader, wanted = self._reader(as_), wanted_of(repository, branch, snapshot)
        steps = steps_of(pipeline, max_tokens)
        return self._asking().questions.why(
            reader, question, node, steps, seeds=seeds, wanted=wanted
        )

    def replay(self, receipt: Receipt | str | bytes, *, as_: AskedAs = None) -> ReplayResult:
        """Does again what a receipt, or its JSON, tells: the same bytes, or what changed."""
        told = receipt if isinstance(receipt, Receipt) else receipt_from_json(receipt)
        return self._asking().questions.replay(self._reader(as_), told)

    def nodes(
        self,
        ids: Sequence[str],
        *,
        as_: AskedAs = None,
        whole: bool = True,
        repository: str | None = None,
        branch: str | None = None,
        snapshot: int | None = None,
    ) -> tuple[NodeText, ...]:
        """Nodes and chunks by id, in the order given; their texts are left out unless `whole`.

        What is forbidden and what is not there are missing alike.
        """
        wanted = wanted_of(repository, branch, snapshot)
        return self._asking().questions.nodes(self._reader(as_), ids, wanted=wanted, whole=whole)

    def node(
        self,
        id: str,  # noqa: A002 - what it is called everywhere else
        *,
        as_: AskedAs = None,
        whole: bool = True,
        repository: str | None = None,
        branch: str | None = None,
        snapshot: int | None = None,
    ) -> NodeText:
        """One node or chunk; NotVisible if there is none that the reader may see."""
        where = {"repository": repository, "branch": branch}
        for found in self.nodes([id], as_=as_, whole=whole, snapshot=snapshot, **where):
            return found
        raise NotVisible(f"no visible node has the id {id!r}")


def wanted_of(
    repository: str | None, branch: str | None, snapshot: int | None
) -> tuple[SnapshotSelector, ...]:
    if repository is None and branch is None and snapshot is None:
        return ALL_REPOSITORIES
    return (SnapshotSelector(repository, branch, snapshot),)


def steps_of(pipeline: Steps, max_tokens: int | None = None) -> Pipeline:
    if max_tokens is not None and max_tokens < 1:
        raise BadInput(f"max_tokens is 1 or more, not {max_tokens}")
    steps = pipeline if isinstance(pipeline, Pipeline) else _loaded(os.fspath(pipeline))
    return (
        steps
        if max_tokens is None
        else steps.with_options("assemble_context", max_tokens=max_tokens)
    )


def _loaded(name: str) -> Pipeline:
    """A file may change while a program runs; what is shipped does not."""
    return _shipped(name) if name in shipped() else load(name)


_shipped = cache(load)


def _found(found: Retrieval, reader: Principal, given: Sequence[str] = ()) -> Result:
    return Result(found.scope, found.run, reader, tuple(given))


class Docgraph(Questions):
    """What `docgraph.open` gives. Any number of threads may use one at the same time."""

    def ingest(
        self,
        path: Store,
        *,
        as_: AskedAs = None,
        repository: str | None = None,
        branch: str | None = None,
        ref: str | None = None,
        readers: Sequence[str] = (),
        labels: Sequence[str] = (),
        level: int = 0,
        without: Sequence[str] = (),
        max_bytes: int = MAX_FILE_BYTES,
        progress: Callable[[Progress], None] = lambda _: None,
    ) -> IngestResult:
        """Takes a folder, a file or a commit in, as a new snapshot if anything changed.

        `ref` names a branch, tag or commit of a git repository; `without` switches miners off.
        `readers` are the groups that may read: without any, access.yaml and front matter say so,
        and where they do not, the person at the keyboard alone may. Needs the right `ingest`.
        """
        who = self._reader(as_)
        told = access_options(who.tenant, readers, labels, level)
        rule = told.rule
        with open_source(
            Path(path), repository=repository, branch=branch, ref=ref, max_bytes=max_bytes
        ) as opened:
            return self._writing().content.ingest(
                who,
                opened.source,
                repository=opened.repository,
                branch=opened.branch,
                rule_for=None if rule is None else lambda _: rule,
                narrowed_by=told.narrowed_by,
                otherwise=LOCAL_ONLY if who.tenant == LOCAL else None,
                without=without,
                origin=opened.origin,
                progress=progress,
            )

    def relations(
        self,
        node: str | None = None,
        *,
        relation: str | None = None,
        as_: AskedAs = None,
        repository: str | None = None,
        branch: str | None = None,
        snapshot: int | None = None,
    ) -> tuple[Relationship, ...]:
        """Relations with their origins: those of a node or document, of one type, or all.

        `contains` is listed where `relation` asks for it.
        """
        wanted = wanted_of(repository, branch, snapshot)
        only = relation_filter(relation)
        return self._asking().content.relations(self._reader(as_), wanted, only, node)

    def add_relation(
        self,
        source: str,
        relation: str,
        target: str,
        *,
        note: str = "",
        as_: AskedAs = None,
        branch: str | None = None,
    ) -> SnapshotName:
        """Adds a relation by hand, in a new snapshot. Needs the right `relations`.

        Both ends must exist; `supersedes` and its like are stored both ways. `note` says why it
        holds, and is kept as its evidence.
        """
        edge, wanted = Edge(source, relation, target), wanted_of(None, branch, None)
        who = self._reader(as_)
        return self._asking().content.add_relation(who, edge, manual_evidence(source, note), wanted)

    def remove_relation(
        self,
        source: str,
        relation: str,
        target: str,
        *,
        as_: AskedAs = None,
        branch: str | None = None,
    ) -> SnapshotName:
        """Removes a relation made by hand, in a new snapshot. Needs the right `relations`."""
        edge, wanted = Edge(source, relation, target), wanted_of(None, branch, None)
        return self._asking().content.remove_relation(self._reader(as_), edge, wanted)

    def snapshots(
        self,
        *,
        as_: AskedAs = None,
        repository: str | None = None,
        branch: str | None = None,
    ) -> tuple[SnapshotInfo, ...]:
        """What can be asked, newest last, each with how many documents the reader sees in it."""
        return tuple(
            info
            for info in self._asking().content.snapshots(self._reader(as_))
            if repository in (None, info.name.repository) and branch in (None, info.name.branch)
        )

    def status(
        self,
        *,
        as_: AskedAs = None,
        repository: str | None = None,
        branch: str | None = None,
        snapshot: int | None = None,
    ) -> Status:
        """The snapshots that a question would be asked of, and how much they hold."""
        return self._asking().content.status(
            self._reader(as_), wanted_of(repository, branch, snapshot)
        )
