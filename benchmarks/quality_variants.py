"""The pipelines whose quality is measured: flat, planned, and planned with one option changed."""

import typing
from collections.abc import Iterator
from typing import Any, Literal

from docgraph.evaluation.run import MODES, flat_pipeline
from docgraph.model.edge import CONTAINS, RELATIONS
from docgraph.pipeline.load import load
from docgraph.pipeline.pipeline import Pipeline

FOLLOWED = frozenset(RELATIONS) - {CONTAINS}


def flat() -> dict[str, Pipeline]:
    return {f"flat {mode}": flat_pipeline(mode) for mode in MODES}


def planned(*, code: bool) -> dict[str, Pipeline]:
    """Questions about code are asked by the pipelines for documents too."""
    names = ("documents", "strict", "code") if code else ("documents", "strict")
    return {f"planned (`{name}`)": load(name) for name in names}


def option_variants(pipeline: Pipeline, option: str) -> dict[str, Pipeline]:
    """One pipeline for each value that the option may take, in the words of its signature."""
    return {
        f"`{option}: {value}`": pipeline.with_options(action, **{option: value})
        for action, value in _choices(pipeline, option)
    }


def _choices(pipeline: Pipeline, option: str) -> Iterator[tuple[str, Any]]:
    for step in pipeline.steps:
        declared = step.action.option(option)
        if declared is not None:
            for value in _words(declared.annotation):
                yield step.action.name, value


def _words(annotation: Any) -> Iterator[str]:
    """The values of a Literal anywhere in the type."""
    if typing.get_origin(annotation) is Literal:
        yield from typing.get_args(annotation)
    else:
        for inner in typing.get_args(annotation):
            yield from _words(inner)


def followed_relations(pipeline: Pipeline) -> frozenset[str]:
    """The relations that the pipeline may follow."""
    found: frozenset[str] = frozenset()
    for step in pipeline.steps:
        if step.action.option("relations") is not None:
            named = step.options["relations"]
            found |= FOLLOWED if named is None else frozenset(named)
    return found
