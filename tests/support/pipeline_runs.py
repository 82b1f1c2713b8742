"""Runs a pipeline on the reads of a session or of a world in memory, without an engine."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from docgraph.model.answer import Answer
from docgraph.model.context import Context, TokenCounter
from docgraph.model.plan import RetrievalPlan
from docgraph.model.question import Question
from docgraph.pipeline.pipeline import Pipeline
from docgraph.pipeline.run import run
from docgraph.ports.graph_reads import GraphReads
from docgraph.ports.models import Reranked, Reranker
from docgraph.ports.search_reads import SearchReads
from docgraph.ports.store import ReaderSession
from docgraph.ports.text_reads import TextReads
from tests.support.fakes import WordCounter
from tests.support.memory_world import World


class NoReranker:
    name = "none"

    def rerank(self, question: str, ids: tuple[str, ...]) -> Reranked:
        raise AssertionError("no shipped pipeline reranks")


def plan_and_context(
    reads: ReaderSession | World, pipeline: Pipeline, question: Question
) -> tuple[RetrievalPlan, Context]:
    windows: Mapping[type, Callable[[Mapping[type, Any]], Any]] = {
        SearchReads: lambda _: reads.search,
        GraphReads: lambda _: reads.graph,
        TextReads: lambda values: reads.texts(values[RetrievalPlan]),
        TokenCounter: lambda _: WordCounter(),
        Reranker: lambda _: NoReranker(),
    }
    done = run(pipeline.before(Answer), {Question: question}, windows, time.perf_counter)
    return done.get(RetrievalPlan), done.get(Context)
