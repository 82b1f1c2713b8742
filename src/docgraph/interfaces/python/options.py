"""Options of the Python methods, by what a method takes."""

import os
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, TypedDict

from docgraph.interfaces.auth.principals import ReaderLike
from docgraph.model.access import Principal
from docgraph.model.snapshot import SnapshotSelector
from docgraph.model.validation import suggest
from docgraph.pipeline.catalog import FindAction
from docgraph.pipeline.load import load, shipped_pipelines
from docgraph.pipeline.pipeline import Pipeline
from docgraph.pipeline.request import OVERRIDES, QuestionRequest, snapshot_selectors

PipelineLike = str | os.PathLike[str] | Pipeline


class ScopeOptions(TypedDict, total=False):
    """Who asks, and of which snapshots: without any, the newest of every repository."""

    as_: ReaderLike
    repository: str | None
    branch: str | None
    snapshot: int | None


class SearchOptions(ScopeOptions, total=False):
    """`pipeline` is a shipped pipeline's name, the path of a YAML file, or a loaded Pipeline."""

    pipeline: PipelineLike


class PlanOptions(SearchOptions, total=False):
    """`seeds` are ids to start from, in place of search."""

    seeds: Sequence[str]


class QuestionOptions(PlanOptions, total=False):
    """With the overrides of the pipeline that a question may set."""

    max_tokens: int | None


def check_options(options: Mapping[str, Any], kind: type) -> None:
    """As Python does for keywords that a function names one by one."""
    known = sorted(kind.__optional_keys__)  # type: ignore[attr-defined]
    for name in options:
        if name not in known:
            raise TypeError(f"no option is called {name!r}; {suggest(name, known)}")


def scope_of(options: Mapping[str, Any]) -> tuple[SnapshotSelector, ...]:
    return snapshot_selectors(*(options.get(name) for name in ("repository", "branch", "snapshot")))


def build_request(
    reader: Principal, question: str, options: Mapping[str, Any], find_action: FindAction
) -> QuestionRequest:
    return QuestionRequest(
        reader,
        load_pipeline(options.get("pipeline", "documents"), find_action),
        question,
        tuple(options.get("seeds", ())),
        scope_of(options),
        **{name: options.get(name) for name in OVERRIDES},
    )


def load_pipeline(pipeline: PipelineLike, find_action: FindAction) -> Pipeline:
    """A file may change while a program runs; what is shipped does not."""
    if isinstance(pipeline, Pipeline):
        return pipeline
    name = os.fspath(pipeline)
    return _load_shipped(name) if name in shipped_pipelines() else load(name, find_action)


_load_shipped = cache(load)
