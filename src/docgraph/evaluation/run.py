"""Runs judged questions through pipelines, and compares the results."""

import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from docgraph.engine.questions import QuestionService
from docgraph.evaluation.ablation import AblatedStore
from docgraph.evaluation.dataset import (
    Dataset,
    JudgedQuestion,
    PrincipalFactory,
    list_problems,
    load_dataset,
)
from docgraph.evaluation.metrics import Outcome, summarise
from docgraph.evaluation.statistics import estimates, gains, per_question
from docgraph.ingest.progress import Progress, ReportProgress
from docgraph.model.access import Principal
from docgraph.model.context import Context
from docgraph.model.errors import (
    BadInput,
    BadPipeline,
    ContractViolation,
    DocgraphError,
    ModelError,
)
from docgraph.model.node import document_of
from docgraph.model.plan import RetrievalPlan
from docgraph.model.snapshot import SnapshotSelector
from docgraph.pipeline.load import load
from docgraph.pipeline.pipeline import Pipeline
from docgraph.pipeline.planned_reads import require_reranker
from docgraph.pipeline.request import QuestionRequest
from docgraph.ports.source import SourceProblem
from docgraph.wiring.backends import open_stores
from docgraph.wiring.build import build_engine
from docgraph.wiring.models import open_reranker
from docgraph.wiring.settings import Settings

MAX_RANK = 10
MAX_FAILED_IN_A_ROW = 5  # questions; more are no accident of a question
LeaveOut = Callable[[JudgedQuestion, DocgraphError], None]


def run_queries(
    questions: QuestionService,
    dataset: Dataset,
    pipelines: Mapping[str, Pipeline],
    principal_with: PrincipalFactory,
    progress: ReportProgress,
    leave_out: LeaveOut | None = None,
) -> dict[str, list[Outcome]]:
    """Each question through every pipeline before the next, each pipeline first in turn.

    So other load on the machine affects all pipelines alike. A question that fails in one pipeline
    has no outcome in any: `leave_out` gets it, or else its error is raised.
    """
    failed = 0
    names = list(pipelines)
    rankers = {name: with_deeper_ranking(pipeline) for name, pipeline in pipelines.items()}
    outcomes: dict[str, list[Outcome]] = {name: [] for name in names}
    for number, question in enumerate(dataset.questions):
        reader = reader_for(question, dataset, principal_with)
        first = number % len(names)
        try:
            found = {
                name: _outcome(questions, question, pipelines[name], rankers[name], reader)
                for name in names[first:] + names[:first]
            }
        except (BadInput, ContractViolation, ModelError) as error:
            failed += 1
            if leave_out is None or failed == MAX_FAILED_IN_A_ROW:
                raise
            leave_out(question, error)
        else:
            failed = 0
            for name, outcome in found.items():
                outcomes[name].append(outcome)
        progress(Progress("ask", number + 1, len(dataset.questions)))
    return outcomes


def rank_documents(
    questions: QuestionService,
    dataset: Dataset,
    pipeline: Pipeline,
    principal_with: PrincipalFactory,
    progress: ReportProgress,
    name: str,
) -> list[tuple[str, ...]]:
    """Rankings alone, without reading text or assembling contexts."""
    ranker = with_deeper_ranking(pipeline)
    found: list[tuple[str, ...]] = []
    for number, question in enumerate(dataset.questions, start=1):
        reader = reader_for(question, dataset, principal_with)
        found.append(_ranking(questions, question, ranker, reader))
        progress(Progress(f"rank {name}", number, len(dataset.questions)))
    return found


def reader_for(
    question: JudgedQuestion, dataset: Dataset, principal_with: PrincipalFactory
) -> Principal:
    """A reader with every label but that of the question's own source."""
    return principal_with(dataset.sources - {question.source})


def with_deeper_ranking(pipeline: Pipeline) -> Pipeline:
    """The same pipeline up to its plan, for at least MAX_RANK documents."""
    steps = pipeline.up_to(RetrievalPlan)
    for step in steps.steps:
        raised = {
            option: max(step.options[option] or 0, MAX_RANK)
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
    reader: Principal,
) -> Outcome:
    started = time.perf_counter()
    found = questions.retrieve(
        QuestionRequest(reader, pipeline, question.text, scope=_where(question))
    )
    took = (time.perf_counter() - started) * 1000
    return Outcome(
        ranking=_ranking(questions, question, ranker, reader),
        grades=question.grades,
        documents=len(found.context.documents),
        tokens=found.context.tokens,
        milliseconds=took,
    )


def _ranking(
    questions: QuestionService, question: JudgedQuestion, ranker: Pipeline, reader: Principal
) -> tuple[str, ...]:
    """Order of admission, by document."""
    plan = questions.retrieve(
        QuestionRequest(reader, ranker, question.text, scope=_where(question))
    ).plan
    return tuple(dict.fromkeys(document_of(node) for node in plan.order))[:MAX_RANK]


def _where(question: JudgedQuestion) -> tuple[SnapshotSelector, ...]:
    return (SnapshotSelector(question.repository, question.branch),)


# The same questions by flat search in three modes, and by a pipeline.


MODES = ("semantic", "bm25", "hybrid")
PLANNED = "planned"


def evaluate(
    dataset: Dataset,
    pipeline: Pipeline,
    settings: Settings,
    principal_with: PrincipalFactory,
    *,
    keep: str | None = None,
    progress: ReportProgress = lambda _: None,
) -> dict[str, Any]:
    """`keep` names a store to keep, so that a second run need not embed again."""
    check_pipeline(pipeline, settings)
    with tempfile.TemporaryDirectory() as scratch:
        store = keep or str(Path(scratch) / "eval.db")
        settings = replace(settings, store=store)
        ablated = AblatedStore(open_stores(settings).store, dataset.held_out)
        engine = build_engine(settings, store=ablated)
        load_dataset(engine.content, dataset, principal_with, progress)
        pipelines = {**{mode: flat_pipeline(mode) for mode in MODES}, PLANNED: pipeline}
        failed: list[SourceProblem] = []
        outcomes = run_queries(
            engine.questions,
            dataset,
            pipelines,
            principal_with,
            progress,
            lambda question, error: failed.append(question.problem(error)),
        )
    if not outcomes[PLANNED]:
        raise BadInput(f"no question could be evaluated: {'; '.join(list_problems(failed))}")
    counts = replace(
        dataset.counts,
        evaluated=len(outcomes[PLANNED]),
        left_out=dataset.counts.left_out + len(failed),
    )
    return {
        **compare_outcomes(outcomes),
        "questions": asdict(counts),
        "problems": (*dataset.problems, *failed),
    }


def check_pipeline(pipeline: Pipeline, settings: Settings) -> None:
    """BadPipeline or BadInput where every question would fail after the ingest."""
    made = {step.action.makes for step in pipeline.steps}
    if not {RetrievalPlan, Context} <= made:
        raise BadPipeline(
            f"pipeline {pipeline.name!r} makes no context; end it with `- assemble_context: {{}}`"
        )
    if any(step.options.get("rerank") for step in pipeline.steps):
        require_reranker(open_reranker(settings))


def compare_outcomes(outcomes: Mapping[str, list[Outcome]]) -> dict[str, Any]:
    """Means, their intervals, and the pipeline's gain over the best flat mode."""
    values = {name: per_question(own) for name, own in outcomes.items()}
    intervals = {
        name: {metric: [e.low, e.high] for metric, e in estimates(own).items()}
        for name, own in values.items()
    }
    return {
        "flat": {mode: summarise(outcomes[mode]) for mode in MODES},
        PLANNED: summarise(outcomes[PLANNED]),
        "intervals": {
            "flat": {mode: intervals[mode] for mode in MODES},
            PLANNED: intervals[PLANNED],
        },
        "gain": {
            metric: {"over": gain.over, **asdict(gain.gained)}
            for metric, gain in gains(
                values[PLANNED], {mode: values[mode] for mode in MODES}
            ).items()
        },
    }


def flat_pipeline(mode: str) -> Pipeline:
    """Documents ranked by their best chunk, without expansion."""
    steps = load("flat")
    return Pipeline(f"flat-{mode}", steps.with_options("search_nodes", mode=mode).steps)
