"""Asking judged questions: what a pipeline puts first, and what its context takes."""

import time
from collections.abc import Mapping
from typing import Any

from docgraph.engine import Engine
from docgraph.evaluation.dataset import Dataset, JudgedQuestion
from docgraph.evaluation.fill import Login, Report
from docgraph.evaluation.measures import Outcome
from docgraph.ingest.result import Progress
from docgraph.model.access import Principal
from docgraph.model.identity import document_of
from docgraph.model.plan import RetrievalPlan
from docgraph.model.scope import Wanted
from docgraph.model.seeds import Seeds
from docgraph.pipeline.pipeline import Pipeline

DEEPEST_RANK = 10


def ask_in_turns(
    engine: Engine,
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
        asker = asker_of(question, dataset, login)
        first = number % len(names)
        for name in names[first:] + names[:first]:
            found = _outcome(engine, question, pipelines[name], rankers[name], asker)
            outcomes[name].append(found)
        progress(Progress("ask", number + 1, len(dataset.questions)))
    return outcomes


def rank(
    engine: Engine,
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
        asker = asker_of(question, dataset, login)
        found.append(_ranking(engine, question, ranker, asker))
        progress(Progress(f"rank {name}", number, len(dataset.questions)))
    return found


def asker_of(question: JudgedQuestion, dataset: Dataset, login: Login) -> Principal:
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
        steps = steps.changed(step.action.name, **raised)
    return steps


def _outcome(
    engine: Engine,
    question: JudgedQuestion,
    pipeline: Pipeline,
    ranker: Pipeline,
    asker: Principal,
) -> Outcome:
    began = time.perf_counter()
    found = engine.retrieve(asker, question.text, pipeline, wanted=_where(question))
    took = (time.perf_counter() - began) * 1000
    return Outcome(
        ranking=_ranking(engine, question, ranker, asker),
        grades=question.grades,
        documents=len(found.context.documents),
        tokens=found.context.tokens,
        milliseconds=took,
    )


def _ranking(
    engine: Engine, question: JudgedQuestion, ranker: Pipeline, asker: Principal
) -> tuple[str, ...]:
    """Order of admission, by document."""
    values: Mapping[type, Any] = engine.retrieve(
        asker, question.text, ranker, wanted=_where(question)
    ).run.values
    plan = values.get(RetrievalPlan)
    nodes = plan.order if plan else values[Seeds].ids
    return tuple(dict.fromkeys(document_of(node) for node in nodes))[:DEEPEST_RANK]


def _where(question: JudgedQuestion) -> tuple[Wanted, ...]:
    return (Wanted(question.repository, question.branch),)
