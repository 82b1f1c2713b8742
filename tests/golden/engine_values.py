"""What an engine gives on the golden history, by area; equal on every store."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from docgraph.engine import Engine
from docgraph.ingest.result import IngestResult
from docgraph.interfaces.auth.principals import impersonated, local
from docgraph.model.access import LOCAL, Principal
from docgraph.model.answer import Answer
from docgraph.model.context import Context
from docgraph.model.diff import compare_retrievals
from docgraph.model.errors import DocgraphError
from docgraph.model.evidence import RetrievedContext
from docgraph.model.plan import RetrievalPlan
from docgraph.model.seeds import Seeds
from docgraph.model.snapshot import ALL_REPOSITORIES, SnapshotName, SnapshotSelector
from docgraph.pipeline.load import load
from docgraph.pipeline.pipeline import Pipeline
from docgraph.pipeline.receipt import receipt_of
from docgraph.pipeline.request import QuestionRequest
from docgraph.pipeline.retrieval import Retrieval
from docgraph.pipeline.retrieval_diff import summarise_retrieval
from tests.golden.history import NOTES, PARCEL, READERS
from tests.golden.installation import Installation
from tests.golden.values import readable, short_digest
from tests.interference.probes import PIPELINES, QUESTIONS
from tests.interference.stores import MachineStore
from tests.interference.views import BranchContent, BranchName
from tests.interference.worlds import PATHS, PEOPLE, RULES, text

RETRY = "How often is a failed upload tried again?"
CODE = "`Worker.run` calls backoff in services/queue/worker.py"
DECISION = "ADR-5 and Delivery Windows by Katherine Johnson"
NORTH = "What does Depot North earn, and what do couriers cost?"
SEEDS = ("parcel:docs/uploads.md", "parcel:services/queue/worker.py::Worker.run")
OLD, NEW = SnapshotName("parcel", "main", 1), SnapshotName("parcel", "main", 4)
# Retrievals that are stored in full, so that a difference can be read.
FULL: dict[str, tuple[str, str, int, Sequence[SnapshotSelector], Sequence[str]]] = {
    "notes, local": ("local", RETRY, 0, (NOTES,), ()),
    "code, labels and clearance": ("labels and clearance", CODE, 1, (PARCEL,), ()),
    "ids, one group": ("one group", "", 0, ALL_REPOSITORIES, SEEDS),
}
# Retrievals of which only digests are stored, beside the whole matrix.
SCOPES: dict[str, tuple[Sequence[SnapshotSelector], Sequence[str]]] = {
    "notes": ((NOTES,), ()),
    "first snapshot": ((SnapshotSelector("parcel", "main", 1),), ()),
    "other branch": ((SnapshotSelector("parcel", "work"),), ()),
    "ids": (ALL_REPOSITORIES, SEEDS),
}
WHY = (
    ("local", "parcel:decisions/0005-back-off.md", 0),
    ("one group", "parcel:finance/budget.md", 0),
    ("labels and clearance", "parcel:finance/budget.md#travel", 0),
    ("local", "parcel:services/queue/backoff.py::backoff", 1),
    ("local", "docs/limits.md", 2),
)
EXPLAINED = ("docs/limits.md", "finance/budget.md", "internal/broken.md", "docs/legal.xhtml")


def parts_of(
    engine: Engine,
    reader: Principal,
    question: str,
    pipeline: Pipeline,
    *,
    selectors: Sequence[SnapshotSelector] = ALL_REPOSITORIES,
    seeds: Sequence[str] = (),
) -> dict[str, Any]:
    """Every value of one question, by what it is."""
    answers = any(step.action.makes is Answer for step in pipeline.steps)
    ask = engine.questions.ask if answers else engine.questions.retrieve
    try:
        result = ask(QuestionRequest(reader, pipeline, question, tuple(seeds), tuple(selectors)))
    except DocgraphError as error:
        return {"error": str(error)}
    return _parts(result)


def _parts(result: Retrieval) -> dict[str, Any]:
    values = result.run.values
    stored = (Seeds, RetrievalPlan, RetrievedContext, Context, Answer)
    names = ("seeds", "plan", "evidence", "context", "answer")
    parts = {name: values.get(kind) for name, kind in zip(names, stored, strict=True)}
    receipt = receipt_of(result)
    return {**parts, "trace": result.run.trace, "receipt": receipt, "scope": result.scope}


def full_retrievals(installation: Installation) -> Any:
    """The receipt holds the plan again, so its digest stands for it."""
    values = {}
    for name, (reader, question, pipeline, selectors, seeds) in FULL.items():
        parts = parts_of(
            installation.engine,
            READERS[reader],
            question,
            PIPELINES[pipeline],
            selectors=selectors,
            seeds=seeds,
        )
        if "receipt" in parts:
            parts["receipt"] = parts["receipt"].digest
        values[name] = readable(parts)
    return values


def retrieval_matrix(installation: Installation) -> Any:
    """Digests: readers, questions and pipelines, and some scopes."""
    engine, values = installation.engine, {}
    questions = {"retry": RETRY, "code": CODE, "decision": DECISION, "north": NORTH}
    for name, reader in READERS.items():
        for word, question in questions.items():
            for number, pipeline in enumerate(PIPELINES):
                key = f"{name} / {word} / pipeline {number}"
                values[key] = _digests(parts_of(engine, reader, question, pipeline))
        for scope, (selectors, seeds) in SCOPES.items():
            key = f"{name} / {scope}"
            parts = parts_of(engine, reader, RETRY, PIPELINES[0], selectors=selectors, seeds=seeds)
            values[key] = _digests(parts)
    return values


def _digests(parts: dict[str, Any]) -> dict[str, str]:
    return {
        name: value if name == "error" else short_digest(value)
        for name, value in parts.items()
        if value is not None
    }


def graph(installation: Installation) -> Any:
    """Relations and what is there, for each reader; the reader at the keyboard's in full."""
    engine, who = installation.engine, READERS["local"]
    return {
        "relations": [_line(one) for one in readable(engine.content.relations(who, (PARCEL,)))],
        "relations by reader": by_reader(lambda one: short_digest(engine.content.relations(one))),
        "contains": short_digest(engine.content.relations(who, only=frozenset({"contains"}))),
        "of one node": readable(
            engine.content.relations(who, node="parcel:services/queue/worker.py")
        ),
        "counts": readable(engine.content.relation_counts(who)),
        "counts by reader": by_reader(
            lambda one: short_digest(engine.content.relation_counts(one))
        ),
        "content digest": by_reader(engine.content.content_digest),
        "status": by_reader(engine.content.status),
        "nodes": readable(engine.questions.nodes(who, SEEDS)),
    }


def by_reader(value_of: Callable[[Principal], object]) -> dict[str, Any]:
    """A refusal is a value too."""
    values = {}
    for name, reader in READERS.items():
        try:
            values[name] = readable(value_of(reader))
        except DocgraphError as error:
            values[name] = f"error: {error}"
    return values


def _line(relation: dict[str, Any]) -> str:
    """One relation as one line that a person can read, with a digest of its evidence."""
    edge, evidence = relation["edge"], relation["evidence"]
    ends = f"{edge['source']} {edge['relation']} {edge['target']}"
    return f"{ends} ({', '.join(relation['origins'])}; {len(evidence)}: {short_digest(evidence)})"


def snapshots(installation: Installation, results: Sequence[IngestResult]) -> Any:
    engine = installation.engine
    return {
        "ingests": readable(results),
        "snapshots": by_reader(engine.content.snapshots),
        "diff": by_reader(lambda one: engine.content.diff_snapshots(one, OLD, NEW)),
        "problems": readable(installation.administration.verify(READERS["local"]).problems),
    }


def access(installation: Installation) -> Any:
    """Rules in force, with their reasons for some paths, and people."""
    administration, who = installation.administration, READERS["local"]
    documents = administration.documents(who)
    return {
        "documents": {
            f"{one['repository']}:{one['path']} on {one['branch']}": short_digest(one)
            for one in readable(documents)
        },
        "explained": {path: readable(administration.explain(who, path)) for path in EXPLAINED},
        "people": readable(administration.people(who)),
        "rules": readable(administration.rules(who, "parcel", "main")),
    }


def reasons(installation: Installation) -> Any:
    """Why a node is in a context or not, and what two retrievals differ in."""
    engine = installation.engine
    why = {
        f"{name} / {node} / pipeline {number}": _reason(
            engine, QuestionRequest(READERS[name], PIPELINES[number], RETRY), node
        )
        for name, node, number in WHY
    }
    sides = [
        summarise_retrieval(
            engine.questions.retrieve(QuestionRequest(READERS[name], load(pipeline), RETRY))
        )
        for name, pipeline in (("local", "documents"), ("one group", "flat"))
    ]
    return {"why": why, "diff of retrievals": readable(compare_retrievals(*sides))}


def _reason(engine: Engine, request: QuestionRequest, node: str) -> Any:
    try:
        return readable(engine.questions.why(request, node))
    except DocgraphError as error:
        return {"error": str(error)}


def worlds(stock: MachineStore, seed: int) -> Any:
    """A world of the interference machine, made by chance that is always the same."""
    chance, branch = Random(seed), BranchName(LOCAL, "r", "main")
    texts = {path: text(path, chance.choice) for path in PATHS}
    stock.ingest(branch, BranchContent(texts), {path: chance.choice(RULES) for path in PATHS})
    values = {}
    for person in (PEOPLE[2], PEOPLE[4]):
        reader = impersonated(person, local())
        for number, pipeline in enumerate(PIPELINES):
            parts = [parts_of(stock.engine, reader, one, pipeline) for one in QUESTIONS[:3]]
            values[f"{person.id} / pipeline {number}"] = short_digest([_digests(p) for p in parts])
        values[f"{person.id} / relations"] = short_digest(stock.engine.content.relations(reader))
        values[f"{person.id} / content"] = stock.engine.content.content_digest(reader)
    return values
