"""Probes: everything that a reader can get out of an engine, as bytes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol, TypeVar

from docgraph.engine import Engine
from docgraph.model.access import Principal
from docgraph.model.answer import Answer
from docgraph.model.digest import canonical, plain
from docgraph.model.edge import CONTAINS, Edge
from docgraph.model.errors import DocgraphError
from docgraph.model.plan import RetrievalPlan
from docgraph.model.question import Question
from docgraph.model.seeds import Seeds
from docgraph.model.snapshot import (
    ALL_REPOSITORIES,
    Scope,
    SnapshotInfo,
    SnapshotName,
    SnapshotSelector,
)
from docgraph.model.tokenize import tokenize
from docgraph.pipeline.load import load
from docgraph.pipeline.pipeline import Pipeline
from docgraph.pipeline.receipt import receipt_of
from docgraph.pipeline.request import QuestionRequest
from docgraph.pipeline.retrieval import FORMAT, Retrieval, SavedPlan
from docgraph.ports.graph_reads import GraphReads
from docgraph.ports.search_reads import Level, SearchReads
from docgraph.ports.store import ReaderSession
from docgraph.ports.text_reads import TextReads
from docgraph.testing.small_store import hash_vector
from tests.interference.worlds import NEVER_SEEN, PATHS
from tests.support.graph_edges import ungrouped
from tests.support.lexical_scores import scores_of
from tests.support.small_world import IDENTITY

QUESTIONS = (
    "rocket fuel thrust",
    "Rocket Engine `launch_window` of Marie Curie",
    "ADR-2 and the Landing Pad",
    "unknown words only",
)
PIPELINES: tuple[Pipeline, ...] = (
    load("documents"),
    load("code"),
    load("flat"),
    load("documents").with_options("search_nodes", mode="bm25", fusion="normalised_scores", top=2),
    load("documents").with_options(
        "search_nodes", mode="semantic", over="documents", top=2, pool=2
    ),
    load("documents")
    .with_options("search_nodes", fusion="normalised_scores", top=3, pool=2)
    .with_options(
        "expand_relationships", admit="first_mention", max_documents=3, max_seed_documents=1
    ),
    load("code")
    .with_options("search_nodes", top=1)
    .with_options("expand_dependency_tree", relations=None, direction="both", max_nodes=4),
    load("documents").with_options("search_nodes", rerank=2, top=2),
    load("documents").with_options("search_nodes", top=1),
    load("strict"),
    load("strict")
    .with_options("select_scope", repository="ingestion", share=0.51, cluster=0.0)
    .with_options("search_nodes", top=4),
)


T = TypeVar("T")


class Probe(Protocol):
    """One way out of the engine; the same probe asks the same of any reader of any scope."""

    def __call__(
        self, engine: Engine, reader: Principal, selectors: Sequence[SnapshotSelector]
    ) -> object: ...


@dataclass(frozen=True, slots=True)
class AskProbe:
    """A question, or ids in place of search, through one of the pipelines.

    Ids are asked as they are, which is refused if one of them is unknown, and the visible ones.
    """

    question: str
    pipeline: int
    seeds: tuple[str, ...] = ()

    def __call__(
        self, engine: Engine, reader: Principal, selectors: Sequence[SnapshotSelector]
    ) -> object:
        asked = [self.seeds]
        if self.seeds:
            with engine.content.store.open_session(reader, selectors) as reads:
                asked.append(reads.graph.visible_ids(self.seeds))
        return [refused_or(partial(self._ask, engine, reader, selectors), one) for one in asked]

    def _ask(
        self,
        engine: Engine,
        reader: Principal,
        selectors: Sequence[SnapshotSelector],
        seeds: tuple[str, ...],
    ) -> object:
        pipeline = PIPELINES[self.pipeline]
        return ask_all(engine, reader, self.question, pipeline, *seeds, selectors=selectors)


def compares_ingestions(probe: Probe) -> bool:
    """Whether its results depend on which documents came together."""
    steps = PIPELINES[probe.pipeline].steps if isinstance(probe, AskProbe) else ()
    return any(step.options.get("repository") == "ingestion" for step in steps)


@dataclass(frozen=True, slots=True)
class ExecutePlanProbe:
    """A saved plan that was edited to name these ids, and a snapshot that is hidden or absent."""

    ids: tuple[str, ...]
    question: str
    pipeline: int

    def __call__(
        self, engine: Engine, reader: Principal, selectors: Sequence[SnapshotSelector]
    ) -> object:
        plan, pipeline = _plan(self.question, self.ids), PIPELINES[self.pipeline]
        with engine.content.store.open_session(reader, selectors) as reads:
            scope = reads.scope
        named = (*scope.snapshots, SnapshotName(NEVER_SEEN, "main", 1))
        saved = SavedPlan(FORMAT, plan, plan.digest, named, pipeline.name)
        return _result(engine.questions.execute(reader, saved, pipeline))


@dataclass(frozen=True, slots=True)
class RelationsProbe:
    only: frozenset[str] | None = None

    def __call__(
        self, engine: Engine, reader: Principal, selectors: Sequence[SnapshotSelector]
    ) -> object:
        return engine.content.relations(reader, selectors, self.only)


@dataclass(frozen=True, slots=True)
class RelationCountsProbe:
    def __call__(
        self, engine: Engine, reader: Principal, selectors: Sequence[SnapshotSelector]
    ) -> object:
        return engine.content.relation_counts(reader, selectors)


@dataclass(frozen=True, slots=True)
class StatusProbe:
    """What there is, in numbers, and the newest snapshot of each branch."""

    def __call__(
        self, engine: Engine, reader: Principal, selectors: Sequence[SnapshotSelector]
    ) -> object:
        status = engine.content.status(reader, selectors)
        branches = {
            (one.name.repository, one.name.branch): one for one in engine.content.snapshots(reader)
        }
        newest = [(*name, *_counted(branches[name])) for name in _places(status.scope)]
        return (status.counts, status.embedder, newest if selectors == ALL_REPOSITORIES else ())


@dataclass(frozen=True, slots=True)
class ContentDigestProbe:
    def __call__(
        self, engine: Engine, reader: Principal, selectors: Sequence[SnapshotSelector]
    ) -> object:
        return engine.content.content_digest(reader, selectors)


@dataclass(frozen=True, slots=True)
class SnapshotsProbe:
    """All of them; one that looks like its forerunner differs by its number alone. Also in which
    words lists of others are refused."""

    def __call__(
        self, engine: Engine, reader: Principal, selectors: Sequence[SnapshotSelector]
    ) -> object:
        found: list[object] = []
        for info in engine.content.snapshots(reader):
            results = (info.name.repository, info.name.branch, *_counted(info))
            if not found or results != found[-1]:
                found.append(results)
        for one in UNSEEN:
            names = (one.repository, one.branch)
            found.append(refused_or(lambda w: _shown(engine, reader, *w), names))
        return found


@dataclass(frozen=True, slots=True)
class DifferencesProbe:
    """Between the two selected snapshots."""

    def __call__(
        self, engine: Engine, reader: Principal, selectors: Sequence[SnapshotSelector]
    ) -> object:
        old, new = (
            SnapshotName(w.repository or "", w.branch or "", w.snapshot or 0) for w in selectors
        )
        return engine.content.diff_snapshots(reader, old, new)


@dataclass(frozen=True, slots=True)
class GraphReadsProbe:
    ids: tuple[str, ...]

    def __call__(
        self, engine: Engine, reader: Principal, selectors: Sequence[SnapshotSelector]
    ) -> object:
        relations = partial(engine.content.relations, reader, selectors, None)
        touching = [refused_or(relations, node) for node in self.ids]
        with engine.content.store.open_session(reader, selectors) as reads:
            return (touching, _through_graph(reads.graph, self.ids))


@dataclass(frozen=True, slots=True)
class SearchReadsProbe:
    ids: tuple[str, ...]
    question: str
    over: Level = "sections"
    roll_up: bool = True

    def __call__(
        self, engine: Engine, reader: Principal, selectors: Sequence[SnapshotSelector]
    ) -> object:
        with engine.content.store.open_session(reader, selectors) as reads:
            vector = _vector(self.question)
            near = reads.search.nearest(vector, over=self.over, roll_up=self.roll_up, top=2)
            return (near, _through_search(reads.search, self.ids, self.question, self.roll_up))


@dataclass(frozen=True, slots=True)
class TextReadsProbe:
    ids: tuple[str, ...]
    question: str

    def __call__(
        self, engine: Engine, reader: Principal, selectors: Sequence[SnapshotSelector]
    ) -> object:
        named = (*self.ids, *(f"{node}@{position}" for node in self.ids for position in (0, 1)))
        opened = [
            refused_or(partial(_nodes, engine, reader, selectors, whole), ids)
            for whole in (True, False)
            for ids in (named, *((one,) for one in named))
        ]
        with engine.content.store.open_session(reader, selectors) as reads:
            found = _through_texts(reads.texts(_plan(self.question, self.ids)), self.ids)
        return (opened, found)


@dataclass(frozen=True, slots=True)
class SessionProbe:
    def __call__(
        self, engine: Engine, reader: Principal, selectors: Sequence[SnapshotSelector]
    ) -> object:
        with engine.content.store.open_session(reader, selectors) as reads:
            return _through_store(reads)


@dataclass(frozen=True, slots=True)
class RefusalsProbe:
    """In which words everything that cannot be is refused: `unseen` by newest snapshots, relations
    of `ids` by the selected ones."""

    ids: tuple[str, ...]
    unseen: tuple[SnapshotSelector, ...]

    def __call__(
        self, engine: Engine, reader: Principal, selectors: Sequence[SnapshotSelector]
    ) -> object:
        found = [refusal(engine, reader, selector) for selector in self.unseen]
        return found + [unwritable(engine, reader, node, selectors) for node in self.ids]


UNSEEN = (
    SnapshotSelector(NEVER_SEEN),
    SnapshotSelector(f"{NEVER_SEEN}t"),
    SnapshotSelector(None, "absent"),
    SnapshotSelector("absent"),
    SnapshotSelector(NEVER_SEEN, "main"),
    SnapshotSelector("r", "absent"),
    SnapshotSelector(NEVER_SEEN, "main", 1),
    SnapshotSelector("absent", "main", 1),
    SnapshotSelector("r", "main", 999),
)


def results_of(
    probe: Probe,
    engine: Engine,
    reader: Principal,
    selectors: Sequence[SnapshotSelector] = ALL_REPOSITORIES,
) -> bytes:
    """What a probe brings back. A refusal is an answer too, and so is a broken assertion."""
    try:
        found = probe(engine, reader, selectors)
    except (DocgraphError, AssertionError) as error:
        found = (type(error).__name__, str(error))
    return canonical(found)


def refused_or(read: Callable[[T], object], given: T) -> object:
    """A refusal, in its words, or what is read."""
    try:
        return read(given)
    except DocgraphError as error:
        return (type(error).__name__, str(error))


def everything(
    engine: Engine,
    reader: Principal,
    questions: Sequence[str] = QUESTIONS,
    selectors: Sequence[SnapshotSelector] = ALL_REPOSITORIES,
) -> bytes:
    """A snapshot's number and the time taken are the declared exceptions."""
    ids = tuple(f"r:{path}" for path in PATHS)
    each = range(len(PIPELINES))
    probes: list[Probe] = [AskProbe(question, one) for question in questions for one in each]
    probes += [AskProbe("", 0, (one,)) for one in ids]
    probes += [AskProbe("", 0, ids), AskProbe("", 6, ids[:1])]
    probes += [ExecutePlanProbe(ids, QUESTIONS[0], one) for one in (0, 1)]
    probes += [
        RelationsProbe(),
        RelationsProbe(frozenset({CONTAINS})),
        RelationCountsProbe(),
        ContentDigestProbe(),
    ]
    probes += [
        GraphReadsProbe(ids),
        TextReadsProbe(ids, QUESTIONS[1]),
        SessionProbe(),
        StatusProbe(),
    ]
    probes += [SearchReadsProbe(ids, QUESTIONS[1], over) for over in LEVELS]
    return canonical([results_of(probe, engine, reader, selectors).decode() for probe in probes])


LEVELS: tuple[Level, ...] = ("documents", "sections", "chunks")


def ask_all(
    engine: Engine,
    reader: Principal,
    question: str,
    pipeline: Pipeline,
    *seeds: str,
    selectors: Sequence[SnapshotSelector] = ALL_REPOSITORIES,
) -> object:
    """The receipt holds the plan, and every step's digest; the answer what a model was sent."""
    answers = any(step.action.makes is Answer for step in pipeline.steps)
    ask = engine.questions.ask if answers else engine.questions.retrieve
    found = ask(QuestionRequest(reader, pipeline, question, seeds, tuple(selectors)))
    unnumbered = tuple(replace(name, snapshot=0) for name in found.scope.snapshots)
    receipt = receipt_of(replace(found, scope=Scope(unnumbered)))
    values = found.run.values
    return (values.get(Seeds), found.context, receipt, values.get(Answer))


def refusals_of(engine: Engine, reader: Principal) -> bytes:
    return results_of(RefusalsProbe(tuple(f"r:{path}" for path in PATHS), UNSEEN), engine, reader)


def refusal(engine: Engine, reader: Principal, selectors: SnapshotSelector) -> str:
    try:
        engine.content.status(reader, (selectors,))
    except DocgraphError as error:
        return str(error)
    return "visible"


def unwritable(
    engine: Engine, reader: Principal, node: str, selectors: Sequence[SnapshotSelector]
) -> str:
    """Relating a node to nothing fails with words that depend on what is visible alone."""
    try:
        engine.content.add_relation(reader, Edge(node, "explains", "r:absent.md"), scope=selectors)
    except DocgraphError as error:
        return str(error)
    return "written"


def _result(result: Retrieval) -> object:
    trace = plain(result.run.trace)
    for step in trace["steps"]:
        del step["milliseconds"]
    plan = (result.plan, result.plan.digest)
    context = (result.context, result.context.digest)
    seeds = result.run.values.get(Seeds)
    return (seeds, plan, context, trace, _places(result.scope))


def _shown(
    engine: Engine, reader: Principal, repository: str | None, branch: str | None
) -> list[tuple[str, str]]:
    """The branches that a reader lists by name."""
    found = engine.content.snapshots(reader, repository, branch)
    return sorted({(info.name.repository, info.name.branch) for info in found})


def _nodes(
    engine: Engine,
    reader: Principal,
    selectors: Sequence[SnapshotSelector],
    whole: bool,
    ids: tuple[str, ...],
) -> object:
    """Without the number of the snapshot that brought each."""
    found = engine.questions.nodes(reader, ids, scope=selectors, whole=whole)
    return [replace(one, ingestion_id=one.ingestion_id.rpartition(":")[0]) for one in found]


def _places(scope: Scope) -> list[tuple[str, str]]:
    return [(name.repository, name.branch) for name in scope.snapshots]


def _counted(info: SnapshotInfo) -> tuple[object, ...]:
    return (info.embedder, info.miners, info.documents)


def _vector(question: str) -> tuple[int, ...]:
    return tuple(int(value) for value in hash_vector(question))


def _plan(question: str, ids: tuple[str, ...]) -> RetrievalPlan:
    vector = _vector(question) if question else ()
    return RetrievalPlan.of_seeds(Question(question, vector, IDENTITY), ids)


def _through_graph(graph: GraphReads, ids: tuple[str, ...]) -> object:
    out, into = graph.edges(ids, "out"), graph.edges(ids, "in")
    inner = graph.edges(ids, "out", frozenset({CONTAINS}))
    inside = graph.inside(ids)
    return (
        (sorted(inside), ungrouped(graph.candidates(ids, None, inside))),
        out,
        into,
        inner,
        graph.visible_ids(ids),
        graph.reference_counts(),
        graph.unresolved_calls(),
    )


def _through_search(
    search: SearchReads, ids: tuple[str, ...], question: str, roll_up: bool
) -> object:
    found = scores_of(search, tuple(sorted(set(tokenize(question)))), roll_up=roll_up)
    names = ("launch_window", "Valve", "open_up", "Rocket")
    near = search.node_similarities(_vector(question), ids)
    return (found, near, search.definers(names), search.kinds(ids))


def _through_texts(texts: TextReads, ids: tuple[str, ...]) -> object:
    scores = [texts.chunk_scores(node) for node in ids]
    chunks = [texts.chunks(some) for some in scores]
    return (texts.concepts(ids), scores, chunks, texts.full_texts(ids))


def _through_store(reads: ReaderSession) -> object:
    branches = _places(reads.scope)
    how_far = (reads.embedder, reads.embeddings, reads.search.embeddings)
    return (branches, how_far, reads.counts(), reads.versions(), list(reads.contents()))
