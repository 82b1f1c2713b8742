"""What has become of a receipt's pipeline since: worth a note, and no difference."""

from collections.abc import Mapping
from typing import Any

from docgraph.model.context import Context
from docgraph.model.digest import plain
from docgraph.model.errors import BadPipeline
from docgraph.model.seeds import Seeds
from docgraph.pipeline.load import load, shipped
from docgraph.pipeline.receipt import Receipt
from docgraph.pipeline.recorded import recorded_step


def pipeline_today(receipt: Receipt) -> tuple[str, ...]:
    """By the names of shipped pipelines alone: a receipt is data, and names no file to read."""
    if receipt.pipeline not in shipped():
        return ()
    today = load(receipt.pipeline)
    steps = (today.starting_from(Seeds) if receipt.seeds else today).steps
    told = [_without_budget(step.action, dict(step.options)) for step in receipt.before_answer]
    if told == [_without_budget(step.action.name, step.options) for step in steps[: len(told)]]:
        return ()
    return (f"the pipeline {receipt.pipeline} has other steps or options today than were recorded",)


def answer_today(receipt: Receipt) -> tuple[str, ...]:
    """The answer's step is not done again; whether it could be is told."""
    try:
        for told in receipt.steps[len(receipt.before_answer) :]:
            recorded_step(told, frozenset({Context}))
    except BadPipeline as error:
        return (f"the answer could not be asked for as it was recorded: {error}",)
    return ()


def _without_budget(action: str, options: Mapping[str, Any]) -> tuple[str, Any]:
    """The budget of tokens is the asker's, and fitted to the windows of their models."""
    budget = "max_tokens" if action == "assemble_context" else None
    return action, plain({name: value for name, value in options.items() if name != budget})
