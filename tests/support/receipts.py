"""Receipts of a small town in memory, and ways to tamper with them."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from docgraph.interfaces.auth.principals import local
from docgraph.model.access import Clearance, Principal
from docgraph.model.answer import Answer
from docgraph.model.digest import digest
from docgraph.model.plan import RetrievalPlan
from docgraph.model.question import Question
from docgraph.model.seeds import Seeds
from docgraph.model.snapshot import Scope, SnapshotName
from docgraph.pipeline.load import load
from docgraph.pipeline.pipeline import Pipeline
from docgraph.pipeline.receipt import Receipt, receipt_from_json, receipt_of
from docgraph.pipeline.request import QuestionRequest, seeds_from_ids
from docgraph.pipeline.retrieval import Retrieval
from docgraph.pipeline.run import Provider, continue_run, run
from docgraph.ports.models import ChatModel, ChatModelChain, ChatReply, Message, Sampling
from tests.support.sample_documents import ask
from tests.unit.pipeline.test_run import TOWN, windows

SCOPE = Scope((SnapshotName("r", "main", 3),))
QUESTION = ask("grind corn in a `mill`")
DOCUMENTS = load("documents").before(Answer)


@dataclass(frozen=True, slots=True)
class FixedReplyModel:
    """A chat model that says one thing."""

    text: str = "Corn is ground in a mill [1]."
    name: str = "says"
    clearance: Clearance | None = None
    context_window: int = 100_000
    exact_count: bool = True

    def count(self, text: str) -> int:
        return len(text.split())

    def complete(
        self,
        messages: tuple[Message, ...],
        *,
        max_tokens: int,
        seed: int,
        on_text: Callable[[str], None],
    ) -> ChatReply:
        on_text(self.text)
        return ChatReply(self.text, "stop", Sampling(0.0, seed))


def retrieval(
    pipeline: Pipeline = DOCUMENTS, question: Question = QUESTION, reader: Principal | None = None
) -> Retrieval:
    found = run(pipeline, {Question: question}, windows(TOWN), lambda: 0.0)
    request = QuestionRequest(reader or local(), pipeline, question.text)
    return Retrieval(request, SCOPE, found)


def receipt(pipeline: Pipeline = DOCUMENTS) -> Receipt:
    return receipt_of(retrieval(pipeline))


def plan_receipt() -> Receipt:
    return receipt(DOCUMENTS.up_to(RetrievalPlan))


def receipt_of_ids(*ids: str) -> Receipt:
    given = {Question: ask("", None), Seeds: seeds_from_ids(TOWN.graph, ids)}
    found = run(DOCUMENTS.starting_from(Seeds), given, windows(TOWN), lambda: 0.0)
    return receipt_of(Retrieval(QuestionRequest(local(), DOCUMENTS, "", ids), SCOPE, found))


def receipt_of_answer(*models: ChatModel) -> Receipt:
    done = retrieval()
    asking = load("documents").starting_from(RetrievalPlan).starting_from(type(done.context))
    chat: dict[type, Provider] = {ChatModelChain: lambda _: ChatModelChain(models, lambda _: None)}
    found = continue_run(done.run, asking, chat, lambda: 0.0)
    return receipt_of(replace(done, run=found))


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every value that holds no other, and the way to it."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in inner:
        if isinstance(item, dict | list) and item:
            yield from leaves(item, (*path, key))
        else:
            yield (*path, key), item


def edit(whole: Receipt, path: tuple[Any, ...], change: Callable[[Any], Any]) -> str:
    """The receipt's JSON with one value written otherwise."""
    written = json.loads(whole.to_json())
    place = written
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = change(place[path[-1]])
    return json.dumps(written)


def reseal(whole: Receipt, path: tuple[Any, ...], change: Callable[[Any], Any]) -> Receipt:
    """Edited by somebody who knows how its own digest is made."""
    return receipt_from_json(edit(whole, path, change)).with_digest()


def with_steps(whole: Receipt, change: Callable[[list[Any]], list[Any]]) -> Receipt:
    """Other steps, by somebody who knows how the pipeline's digest is made, too."""
    written = reseal(whole, ("steps",), change)
    steps = [[step.action, dict(step.options)] for step in written.steps]
    return reseal(written, ("pipeline_digest",), lambda _: digest(steps))
