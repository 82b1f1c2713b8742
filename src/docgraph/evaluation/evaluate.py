"""Evaluating: the same questions by flat search in three modes, and by a pipeline."""

import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from docgraph.engine import Engine
from docgraph.evaluation.dataset import Dataset, JudgedQuestion, read_dataset
from docgraph.evaluation.held_out import HeldOutStore
from docgraph.evaluation.measures import Outcome, summary
from docgraph.ingest.result import Progress
from docgraph.model.access import LOCAL, AccessRule, Principal
from docgraph.model.identity import document_of
from docgraph.model.plan import RetrievalPlan
from docgraph.model.scope import Wanted
from docgraph.model.seeds import Seeds
from docgraph.pipeline.load import load
from docgraph.pipeline.pipeline import Pipeline
from docgraph.wiring.build import build_engine
from docgraph.wiring.settings import Settings

MODES = ("semantic", "bm25", "hybrid")
DEEPEST_RANK = 10
Report = Callable[[Progress], None]
Login = Callable[[frozenset[str]], Principal]


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
        engine = build_engine(replace(settings, store=store))
        engine.store = HeldOutStore(engine.store, dataset.held_out)
        fill(engine, dataset, login, progress)
        flat = {
            mode: summary(ask(engine, dataset, flat_pipeline(mode), login, progress, mode))
            for mode in MODES
        }
        planned = summary(ask(engine, dataset, pipeline, login, progress, pipeline.name))
    return {"flat": flat, "planned": planned}


def flat_pipeline(mode: str) -> Pipeline:
    """Chunk first: the best passage speaks for its document, and nothing is expanded."""
    steps = load("flat")
    return Pipeline(f"flat-{mode}", steps.changed("search_nodes", mode=mode).steps)


def fill(engine: Engine, dataset: Dataset, login: Login, progress: Report) -> None:
    """A document that a question was taken out of carries a label that its asker lacks."""
    labelled = {question.source for question in dataset.questions if question.source}

    def rule_for(path: str) -> AccessRule:
        labels = frozenset({path}) if path in labelled else frozenset[str]()
        return AccessRule(LOCAL, frozenset({LOCAL}), labels)

    for number, collection in enumerate(dataset.collections, start=1):
        engine.ingest(
            login(frozenset()),
            collection.source,
            repository=collection.repository,
            branch=collection.branch,
            rule_for=rule_for,
            given=collection.given,
            progress=partial(_tell, progress, f"ingest {number}/{len(dataset.collections)}"),
        )


def _tell(progress: Report, name: str, now: Progress) -> None:
    progress(replace(now, stage=f"{name} {now.stage}"))


def ask(
    engine: Engine,
    dataset: Dataset,
    pipeline: Pipeline,
    login: Login,
    progress: Report,
    name: str,
) -> list[Outcome]:
    labels = frozenset(question.source for question in dataset.questions if question.source)
    ranker = deepened(pipeline)
    outcomes: list[Outcome] = []
    for number, question in enumerate(dataset.questions, start=1):
        principal = login(labels - {question.source or ""})
        outcomes.append(_outcome(engine, question, pipeline, ranker, principal))
        progress(Progress(f"ask {name}", number, len(dataset.questions)))
    return outcomes


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
    principal: Principal,
) -> Outcome:
    wanted = (Wanted(question.repository, question.branch),)
    began = time.perf_counter()
    found = engine.retrieve(principal, question.text, pipeline, wanted=wanted)
    took = (time.perf_counter() - began) * 1000
    deep = engine.retrieve(principal, question.text, ranker, wanted=wanted)
    return Outcome(
        ranking=_ranking(deep.run.values),
        grades=question.grades,
        documents=len(found.context.documents),
        tokens=found.context.tokens,
        milliseconds=took,
    )


def _ranking(values: Any) -> tuple[str, ...]:
    """Order of admission, by document."""
    plan = values.get(RetrievalPlan)
    nodes = plan.order if plan else values[Seeds].ids
    return tuple(dict.fromkeys(document_of(node) for node in nodes))[:DEEPEST_RANK]
