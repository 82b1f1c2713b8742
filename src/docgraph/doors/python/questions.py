"""Questions: all that can be asked of an opened store."""

import os
from collections.abc import Callable, Sequence
from functools import cache

from docgraph.doors.login.asked_as import AskedAs
from docgraph.doors.python.found import Found
from docgraph.doors.python.opened import Opened
from docgraph.model.access import Principal
from docgraph.model.errors import BadInput, NotVisible
from docgraph.model.node_text import NodeText
from docgraph.model.plan import RetrievalPlan
from docgraph.model.scope import EVERYTHING, Wanted
from docgraph.model.seeds import Seeds
from docgraph.model.why_not import WhyNot
from docgraph.pipeline.load import load, shipped
from docgraph.pipeline.pipeline import Pipeline
from docgraph.pipeline.receipt import Receipt, receipt_from_json
from docgraph.pipeline.replayed import Replayed
from docgraph.pipeline.retrieval import Retrieval
from docgraph.pipeline.saved_plan import SavedPlan, plan_from_json

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
    ) -> Found:
        """Finds seeds: ids and scores, never text."""
        reader, wanted = self._reader(as_), wanted_of(repository, branch, snapshot)
        steps = steps_of(pipeline).up_to(Seeds)
        return _found(self._asking().retrieve(reader, question, steps, wanted=wanted), reader)

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
    ) -> Found:
        """Decides which documents may speak, and reads no text. `saved()` is for `execute`."""
        reader, wanted = self._reader(as_), wanted_of(repository, branch, snapshot)
        steps = steps_of(pipeline).up_to(RetrievalPlan)
        found = self._asking().retrieve(reader, question, steps, seeds=seeds, wanted=wanted)
        return _found(found, reader, seeds)

    def execute(
        self, plan: SavedPlan | str | bytes, *, as_: AskedAs = None, pipeline: Steps | None = None
    ) -> Found:
        """Obeys a plan, or its JSON: on its own snapshots, with the rights the reader has now."""
        saved = plan if isinstance(plan, SavedPlan) else plan_from_json(plan)
        if pipeline is None and saved.pipeline not in shipped():
            raise BadInput(
                f"this plan was made with a pipeline called {saved.pipeline!r}, "
                "which is not shipped; give its file as pipeline="
            )
        reader, steps = self._reader(as_), steps_of(pipeline or saved.pipeline)
        return _found(self._asking().execute(reader, saved, steps), reader)

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
    ) -> Found:
        """Gives the context: what a language model would get to read, each item with its why."""
        reader, wanted = self._reader(as_), wanted_of(repository, branch, snapshot)
        steps = steps_of(pipeline, max_tokens)
        found = self._asking().retrieve(reader, question, steps, seeds=seeds, wanted=wanted)
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
    ) -> Found:
        """Answers with citations, which are checked; without a model the context is the answer.

        `heard` gets the answer piece by piece, as the model says it.
        """
        reader, wanted = self._reader(as_), wanted_of(repository, branch, snapshot)
        steps = steps_of(pipeline, max_tokens)
        found = self._asking().ask(reader, question, steps, seeds=seeds, wanted=wanted, heard=heard)
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
    ) -> WhyNot:
        """Why a node is in a question's context, or where it fell out and what lets it in."""
        reader, wanted = self._reader(as_), wanted_of(repository, branch, snapshot)
        steps = steps_of(pipeline, max_tokens)
        return self._asking().why(reader, question, node, steps, seeds=seeds, wanted=wanted)

    def replay(self, receipt: Receipt | str | bytes, *, as_: AskedAs = None) -> Replayed:
        """Does again what a receipt, or its JSON, tells: the same bytes, or what changed."""
        told = receipt if isinstance(receipt, Receipt) else receipt_from_json(receipt)
        return self._asking().replay(self._reader(as_), told)

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
        return self._asking().nodes(self._reader(as_), ids, wanted=wanted, whole=whole)

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
) -> tuple[Wanted, ...]:
    if repository is None and branch is None and snapshot is None:
        return EVERYTHING
    return (Wanted(repository, branch, snapshot),)


def steps_of(pipeline: Steps, max_tokens: int | None = None) -> Pipeline:
    if max_tokens is not None and max_tokens < 1:
        raise BadInput(f"max_tokens is 1 or more, not {max_tokens}")
    steps = pipeline if isinstance(pipeline, Pipeline) else _loaded(os.fspath(pipeline))
    return steps if max_tokens is None else steps.changed("assemble_context", max_tokens=max_tokens)


def _loaded(name: str) -> Pipeline:
    """A file may change while a program runs; what is shipped does not."""
    return _shipped(name) if name in shipped() else load(name)


_shipped = cache(load)


def _found(found: Retrieval, reader: Principal, given: Sequence[str] = ()) -> Found:
    return Found(found.scope, found.run, reader, tuple(given))
