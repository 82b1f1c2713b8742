"""why_not: why a node is in a question's context, or why not, and the smallest change for it."""

from collections.abc import Mapping
from typing import Any

from docgraph.model.context import Context
from docgraph.model.explanation import (
    Explanation,
    IncludedItem,
    OptionChange,
    Stage,
    StepOutcome,
)
from docgraph.model.question import Question
from docgraph.model.seeds import Seeds
from docgraph.pipeline.pipeline import Pipeline
from docgraph.pipeline.why_not.smallest_change import smallest_change
from docgraph.pipeline.why_not.stages import SEARCH, included_items, stage_of
from docgraph.pipeline.why_not.step_outcomes import SCOPE, step_outcomes
from docgraph.pipeline.why_not.target import find_target
from docgraph.pipeline.why_not.trials import RunPipeline, TrialRunner, steps_making
from docgraph.ports.store import ReaderSession


def why_not(
    node: str,
    pipeline: Pipeline,
    inputs: Mapping[type, Any],
    reads: ReaderSession,
    run_pipeline: RunPipeline,
) -> Explanation | None:
    """With one reader's rights: None of a node that is hidden or absent.

    `inputs` are the question, and seeds where ids were given; `pipeline` then begins after them.
    """
    question: Question = inputs[Question]
    steps = steps_making(pipeline, Context)
    target = find_target(node, reads, question)
    if target is None:
        return None
    runner = TrialRunner(steps, inputs, reads.graph, run_pipeline)
    trial = runner.run()
    assert trial is not None
    stage = stage_of(trial, target)
    outcomes = step_outcomes(trial, target, runner)
    seeds: Seeds | None = inputs.get(Seeds)
    change: tuple[OptionChange, ...] = ()
    suggestion = ""
    if stage != "included":
        change, suggestion = smallest_change(stage, target, runner, seeds.ids if seeds else ())
    items = included_items(trial, target)
    return Explanation(
        node=target.id,
        question=question.text,
        pipeline=pipeline.name,
        stage=stage,
        explanation=_describe(stage, outcomes),
        steps=outcomes,
        items=tuple(IncludedItem(item.number, item.id, item.why) for item in items),
        change=change,
        suggestion=suggestion,
        runs=runner.runs,
    )


def _describe(stage: Stage, outcomes: tuple[StepOutcome, ...]) -> str:
    """The outcome of the step that excluded it: the last one, or a step of search."""
    action = {"search": SEARCH, "rank": SEARCH, "scope": SCOPE}.get(stage, outcomes[-1].action)
    return next(one.explanation for one in outcomes if one.action == action)
