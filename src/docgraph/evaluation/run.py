"""Asking judged questions: what a pipeline puts first, and what its context takes."""

import tempfile
import time
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from docgraph.engine.questions import QuestionService
from docgraph.evaluation.ablation import AblatedStore
from docgraph.evaluation.dataset import (
    Dataset,
    JudgedQuestion,
    Login,
    Report,
    load_dataset,
    read_dataset,
)
from docgraph.evaluation.metrics import Outcome, summary
from docgraph.evaluation.statistics import estimates, gains, per_question
from docgraph.ingest.result import Progress
from docgraph.model.access import Principal
from docgraph.model.node import document_of
from docgraph.model.plan import RetrievalPlan
from docgraph.model.seeds import Seeds
from docgraph.model.snapshot import SnapshotSelector
from docgraph.pipeline.load import load
from docgraph.pipeline.pipeline import Pipeline
from docgraph.pipeline.request import QuestionRequest
from docgraph.wiring.backends import open_stores
from docgraph.wiring.build import build_engine
from docgraph.wiring.settings import Settings

DEEPEST_RANK = 10


def run_queries(
    questions: QuestionService,
    dataset: Dataset,
    pipelines: Mapping[str, Pipeline],
    login: Login,
    progress: Report,
) -> dict[str, list[Outcome]]:
    """Each question of every pipeline before the next; they take turns in going first.

    So whatever else the machine does falls on all of them alike.
    """
    names = list(pipelines)
    rankers = {name: deepened(pipeline) for name, pipeline in pipelines.items()}
    outcomes: dict[str, list[Outcome]] = {name: [] for name in names}
    for number, question in enumerate(dataset.questions):
        asker = reader_for(question, dataset, login)
        first = number % len(names)
        for name in names[first:] + names[:first]:
            found = _outcome(questions, question, pipelines[name], rankers[name], asker)
            outcomes[name].append(found)
        progress(Progress("ask", number + 1, len(dataset.questions)))
    return outcomes


def rank(
    questions: QuestionService,
    dataset: Dataset,
    pipeline: Pipeline,
    login: Login,
    progress: Report,
    name: str,
) -> list[tuple[str, ...]]:
    """Rankings alone: no text is read, and no context made."""
    ranker = deepened(pipeline)
    found: list[tuple[str, ...]] = []
    for number, question in enumerate(dataset.questions, start=1):
        asker = reader_for(question, dataset, login)
        found.append(_ranking(questions, question, ranker, asker))
        progress(Progress(f"rank {name}", number, len(dataset.questions)))
    return found


def reader_for(question: JudgedQuestion, dataset: Dataset, login: Login) -> Principal:
    """Whoever asks holds every label but that of the question's own source."""
    return login(dataset.sources - {question.source})


def deepened(pipeline: Pipeline) -> Pipeline:
    """The same pipeline up to its plan, with room for ten documents."""
    steps = pipeline.up_to(RetrievalPlan)
    for step in steps.steps:
        raised = {
            option: max(step.options[option] or 0, DEEPEST_RANK)
            for option in ("top", "documents")
            if option in step.options
        }
        steps = steps.with_options(step.action.name, **raised)
    return steps


def _outcome(
    questions: QuestionService,
    question: JudgedQuestion,
    pipeline: Pipeline,
    ranker: Pipeline,
    asker: Principal,
) -> Outcome:
    began = time.perf_counter()
    found = questions.retrieve(
        QuestionRequest(asker, pipeline, question.text, scope=_where(question))
    )
    took = (time.perf_counter() - began) * 1000
    return Outcome(
        ranking=_ranking(questions, question, ranker, asker),
        grades=question.grades,
        documents=len(found.context.documents),
        tokens=found.context.tokens,
        milliseconds=took,
    )


def _ranking(
    questions: QuestionService, question: JudgedQuestion, ranker: Pipeline, asker: Principal
) -> tuple[str, ...]:
    """Order of admission, by document."""
    values: Mapping[type, Any] = questions.retrieve(
        QuestionRequest(asker, ranker, question.text, scope=_where(question))
    ).run.values
    plan = values.get(RetrievalPlan)
    nodes = plan.order if plan else values[Seeds].ids
    return tuple(dict.fromkeys(document_of(node) for node in nodes))[:DEEPEST_RANK]


def _where(question: JudgedQuestion) -> tuple[SnapshotSelector, ...]:
    return (SnapshotSelector(question.repository, question.branch),)


# Evaluating: the same questions by flat search in three modes, and by a pipeline.


MODES = ("semantic", "bm25", "hybrid")
PLANNED = "planned"


def evaluate(
    folder: Path,
    pipeline: Pipeline,
    settings: Settings,
    login: Login,
    *,
    keep: str | None = None,
    limit: int | None = None,
    progress: Report = lambda _: None,
) -> dict[str, Any]:
    """`keep` names a store to keep, so that a second run need not embed again."""
    dataset = read_dataset(folder, limit)
    with tempfile.TemporaryDirectory() as scratch:
        store = keep or str(Path(scratch) / "eval.db")
        settings = replace(settings, store=store)
        ablated = AblatedStore(open_stores(settings).store, dataset.held_out)
        engine = build_engine(settings, store=ablated)
        load_dataset(engine.content, dataset, login, progress)
        pipelines = {**{mode: flat_pipeline(mode) for mode in MODES}, PLANNED: pipeline}
        return compared(run_queries(engine.questions, dataset, pipelines, login, progress))


def compared(outcomes: Mapping[str, list[Outcome]]) -> dict[str, Any]:
    """Means, their intervals, and what planning gains over the best flat mode."""
    values = {name: per_question(found) for name, found in outcomes.items()}
    within = {
        name: {measure: [e.low, e.high] for measure, e in estimates(found).items()}
        for name, found in values.items()
    }
    return {
        "flat": {mode: summary(outcomes[mode]) for mode in MODES},
        PLANNED: summary(outcomes[PLANNED]),
        "intervals": {
            "flat": {mode: within[mode] for mode in MODES},
            PLANNED: within[PLANNED],
        },
        "gain": {
            measure: {"over": gain.over, **asdict(gain.gained)}
            for measure, gain in gains(
                values[PLANNED], {mode: values[mode] for mode in MODES}
            ).items()
        },
    }


def flat_pipeline(mode: str) -> Pipeline:
    """Chunk first: the best passage speaks for its document, and nothing is expanded."""
    steps = load("flat")
    return Pipeline(f"flat-{mode}", steps.with_options("search_nodes", mode=mode).steps)
