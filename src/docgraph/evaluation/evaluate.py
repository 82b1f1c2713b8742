"""Evaluating: the same questions by flat search in three modes, and by a pipeline."""

import tempfile
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from docgraph.evaluation.ask import ask_in_turns
from docgraph.evaluation.bootstrap import estimates
from docgraph.evaluation.compared import gains, per_question
from docgraph.evaluation.dataset import read_dataset
from docgraph.evaluation.fill import Login, Report, fill
from docgraph.evaluation.held_out import HeldOutStore
from docgraph.evaluation.measures import Outcome, summary
from docgraph.pipeline.load import load
from docgraph.pipeline.pipeline import Pipeline
from docgraph.wiring.build import build_engine
from docgraph.wiring.settings import Settings

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
        engine = build_engine(replace(settings, store=store))
        engine.store = HeldOutStore(engine.store, dataset.held_out)
        fill(engine, dataset, login, progress)
        pipelines = {**{mode: flat_pipeline(mode) for mode in MODES}, PLANNED: pipeline}
        return compared(ask_in_turns(engine, dataset, pipelines, login, progress))


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
    return Pipeline(f"flat-{mode}", steps.changed("search_nodes", mode=mode).steps)
