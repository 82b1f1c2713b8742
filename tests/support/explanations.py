"""Explanations over a store in memory, and runs with the changes that they report."""

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any

from docgraph.model.context import Context, TokenCounter
from docgraph.model.explanation import Explanation, OptionChange
from docgraph.model.plan import RetrievalPlan
from docgraph.model.question import Question
from docgraph.model.seeds import Seeds
from docgraph.pipeline.pipeline import Pipeline
from docgraph.pipeline.request import seeds_from_ids
from docgraph.pipeline.run import Run, run
from docgraph.pipeline.why_not.why_not import why_not
from docgraph.ports.graph_reads import GraphReads
from docgraph.ports.models import Reranker
from docgraph.ports.search_reads import SearchReads
from docgraph.ports.text_reads import TextReads
from tests.support.fakes import PreferenceReranker, WordCounter
from tests.support.memory_world import World
from tests.support.sample_documents import ask

QUESTION = ask("corn")


def run_pipeline(pipeline: Pipeline, place: World, given: dict[type, Any]) -> Run:
    ticks = count()
    windows: Mapping[type, Callable[[Mapping[type, Any]], Any]] = {
        SearchReads: lambda _: place.search,
        GraphReads: lambda _: place.graph,
        TextReads: lambda values: place.texts(values[RetrievalPlan]),
        TokenCounter: lambda _: WordCounter(),
        Reranker: lambda _: PreferenceReranker({}, name="none"),
    }
    return run(pipeline, given, windows, lambda: float(next(ticks)))


def explain(
    node: str,
    pipeline: Pipeline,
    place: World,
    *,
    seeds: Sequence[str] = (),
    question: Question = QUESTION,
) -> Explanation:
    """Of a visible node."""
    found = find_explanation(node, pipeline, place, seeds=seeds, question=question)
    assert found is not None, node
    return found


def find_explanation(
    node: str,
    pipeline: Pipeline,
    place: World,
    *,
    seeds: Sequence[str] = (),
    question: Question = QUESTION,
) -> Explanation | None:
    """None of a node that is hidden or absent."""
    given: dict[type, Any] = {Question: question}
    if seeds:
        given[Seeds] = seeds_from_ids(place.graph, tuple(seeds))
        pipeline = pipeline.starting_from(Seeds)
    return why_not(
        node, pipeline, given, place, lambda p, values: run_pipeline(p, place, dict(values))
    )


def with_changes(
    pipeline: Pipeline, place: World, changes: Sequence[OptionChange], question: Question = QUESTION
) -> Context:
    """As somebody would make them: in a pipeline file, and with --seed."""
    given: dict[type, Any] = {Question: question}
    pipeline = pipeline.up_to(Context)
    for change in changes:
        if change.action == "seeds":
            assert isinstance(change.new, tuple)
            given[Seeds] = seeds_from_ids(place.graph, change.new)
            pipeline = pipeline.starting_from(Seeds)
        elif change.option:
            pipeline = pipeline.with_options(change.action, **{change.option: change.new})
        else:
            kept = (step for step in pipeline.steps if step.action.name != change.action)
            pipeline = Pipeline(pipeline.name, tuple(kept))
    return run_pipeline(pipeline, place, given).get(Context)


def cited_ids(context: Context) -> set[str]:
    """The documents of its evidence."""
    return {item.document_id for item in context.items if item.number}
