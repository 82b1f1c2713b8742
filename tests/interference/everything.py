"""Everything that a reader can get out of an engine, as bytes."""

from collections.abc import Sequence

from docgraph.engine import Engine
from docgraph.model.access import Principal
from docgraph.model.digest import canonical, plain
from docgraph.model.edge import Edge
from docgraph.model.errors import DocgraphError
from docgraph.model.relation import CONTAINS
from docgraph.model.scope import EVERYTHING, Wanted
from docgraph.pipeline.load import load
from docgraph.pipeline.pipeline import Pipeline
from tests.interference.worlds import PATHS

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
    load("documents").changed("search_nodes", mode="bm25", fusion="normalised_scores", top=2),
    load("documents").changed("search_nodes", mode="semantic", over="documents"),
    load("documents")
    .changed("search_nodes", fusion="normalised_scores", top=3, pool=2)
    .changed("expand_relationships", admit="first_mention", documents=3, seed_places=1),
    load("code")
    .changed("search_nodes", top=1)
    .changed("expand_dependency_tree", relations=None, direction="both", max_nodes=4),
)


def everything(
    engine: Engine,
    reader: Principal,
    questions: Sequence[str] = QUESTIONS,
    wanted: Sequence[Wanted] = EVERYTHING,
) -> bytes:
    """A snapshot's number and the time taken are the declared exceptions."""
    ids = [f"r:{path}" for path in PATHS]
    found: list[object] = [
        asked(engine, reader, question, pipeline, wanted=wanted)
        for question in questions
        for pipeline in PIPELINES
    ]
    found += [asked(engine, reader, "", PIPELINES[0], one, wanted=wanted) for one in ids]
    found.append(asked(engine, reader, "", PIPELINES[0], *ids, wanted=wanted))
    found.append(asked(engine, reader, "", PIPELINES[-1], *ids[:1], wanted=wanted))
    found.append(engine.relations(reader, wanted))
    found.append(engine.relations(reader, wanted, frozenset({CONTAINS})))
    found.append(engine.relation_counts(reader, wanted))
    found.append(engine.content_digest(reader, wanted))
    with engine.store.reads_as(reader, wanted) as reads:
        found.append((reads.graph.places(), reads.graph.opaque(), reads.versions()))
    status = engine.status(reader, wanted)
    found.append((status.counts, status.embedder))
    found.append([(name.repository, name.branch) for name in status.scope.snapshots])
    return canonical(found)


def asked(
    engine: Engine,
    reader: Principal,
    question: str,
    pipeline: Pipeline,
    *seeds: str,
    wanted: Sequence[Wanted] = EVERYTHING,
) -> object:
    result = engine.retrieve(reader, question, pipeline, seeds=seeds, wanted=wanted)
    trace = plain(result.run.trace)
    for step in trace["steps"]:
        del step["milliseconds"]
    plan = (result.plan, result.plan.digest)
    context = (result.context, result.context.digest)
    return (plan, context, trace, [(s.repository, s.branch) for s in result.scope.snapshots])


def refused(engine: Engine, reader: Principal) -> bytes:
    """In which words everything that cannot be is refused."""
    found = [refusal(engine, reader, Wanted(name)) for name in ("r", "s", "absent")]
    found += [unwritable(engine, reader, f"r:{path}") for path in PATHS]
    return canonical(found)


def refusal(engine: Engine, reader: Principal, wanted: Wanted) -> str:
    try:
        engine.status(reader, (wanted,))
    except DocgraphError as error:
        return str(error)
    return "visible"


def unwritable(engine: Engine, reader: Principal, node: str) -> str:
    """Relating a node to nothing fails with words that depend on what is visible alone."""
    try:
        engine.add_relation(reader, Edge("r:absent.md", "explains", node))
    except DocgraphError as error:
        return str(error)
    return "written"
