"""why_not: why a node is in a question's context, or why not, and the smallest change for it."""

from collections.abc import Mapping
from typing import Any

from docgraph.model.context import Context
from docgraph.model.explanation import (
    NOT_VISIBLE,
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
from docgraph.pipeline.why_not.stages import SEARCH, shown, stage_of
from docgraph.pipeline.why_not.step_outcomes import SCOPE, step_outcomes
from docgraph.pipeline.why_not.target import find_target
from docgraph.pipeline.why_not.trials import Again, TrialRunner, making_context
from docgraph.ports.store import ReaderSession


def why_not(
    node: str, pipeline: Pipeline, given: Mapping[type, Any], reads: ReaderSession, again: Again
) -> Explanation:
    """Everything is seen through one reader's windows: what is hidden is not there.

    `given` holds the question, and seeds where ids were named; then `pipeline` begins behind them.
    """
    question: Question = given[Question]
    steps = making_context(pipeline, Context)
    found = find_target(node, reads, question)
    if found is None:
        return Explanation(node, question.text, pipeline.name, "not visible", NOT_VISIBLE)
    trials = TrialRunner(steps, given, reads.graph, again)
    tried = trials.run()
    assert tried is not None
    stage = stage_of(tried, found)
    way = step_outcomes(tried, found, trials)
    seeds: Seeds | None = given.get(Seeds)
    change: tuple[OptionChange, ...] = ()
    remedy = ""
    if stage != "there":
        change, remedy = smallest_change(stage, found, trials, seeds.ids if seeds else ())
    return Explanation(
        node=found.id,
        question=question.text,
        pipeline=pipeline.name,
        stage=stage,
        words=_telling(stage, way),
        steps=way,
        shown=tuple(IncludedItem(item.number, item.id, item.why) for item in shown(tried, found)),
        change=change,
        remedy=remedy,
        runs=trials.runs,
    )


def _telling(stage: Stage, way: tuple[StepOutcome, ...]) -> str:
    """In the words of the step at which it fell out: the last one, or a step of search."""
    action = {"search": SEARCH, "rank": SEARCH, "scope": SCOPE}.get(stage, way[-1].action)
    return next(one.words for one in way if one.action == action)
