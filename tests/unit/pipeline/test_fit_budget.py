"""A page is made small enough for every model that may be asked."""

from dataclasses import dataclass

import pytest

from docgraph.answer.answer_question import prompt_tokens
from docgraph.answer.prompt import load_prompt
from docgraph.assemble.assemble_context import assemble_context
from docgraph.execute.fetch_evidence import fetch_evidence
from docgraph.model.access import Clearance
from docgraph.model.evidence import RetrievedContext
from docgraph.pipeline.fit_budget import fit_budget
from docgraph.pipeline.load import load
from docgraph.pipeline.pipeline import Pipeline
from docgraph.plan.plan_seeds import plan_seeds
from docgraph.ports.models import ChatModel, ChatReply, Message
from tests.support.fakes import WordCounter
from tests.support.memory_world import world
from tests.support.sample_documents import ask, document, seeds

WORDS = WordCounter()


@dataclass(frozen=True)
class Reads:
    """A model with a window, whose tokens are so many to a word."""

    context_window: int
    per_word: float = 1.0
    name: str = "reads"
    clearance: Clearance | None = None
    exact_count: bool = True

    def count(self, text: str) -> int:
        return int(self.per_word * len(text.split()))

    def complete(self, messages: tuple[Message, ...], **_: object) -> ChatReply:
        raise AssertionError("nobody is asked here")


def evidence() -> RetrievedContext:
    documents = [
        document(f"r:{n}.md", *(f"{'word ' * 30}{n}.{m}" for m in range(4))) for n in range(5)
    ]
    plan = plan_seeds(ask("why?"), seeds(*(held.id for held in documents)))
    return fetch_evidence(plan, world(*documents).texts(plan))


def tail() -> Pipeline:
    whole = load("documents").with_options("answer_question", max_output=50)
    return Pipeline(whole.name, whole.steps[-2:])


@pytest.mark.parametrize("per_word", [0.5, 1.0, 1.7])
@pytest.mark.parametrize("window", [400, 600, 1000])
def test_a_page_that_is_too_long_is_made_to_fit(window: int, per_word: float) -> None:
    found = evidence()
    model: ChatModel = Reads(window, per_word)
    steps = fit_budget(tail(), found, WORDS, (Reads(100), model))
    page = assemble_context(found, WORDS, max_tokens=steps.steps[0].options["max_tokens"])
    messages = load_prompt("cited-1").format(page.text, page.question)
    assert prompt_tokens(model, messages) + 50 <= window
    assert any(item.number for item in page.items)


def test_a_context_window_too_small_for_evidence_is_reported_by_the_answers_step() -> None:
    """Else a page of nothing would look like a question that nothing answers."""
    assert fit_budget(tail(), evidence(), WORDS, (Reads(150),)) == tail()


def test_a_page_need_not_fit_whom_nobody_asks() -> None:
    high = Reads(100_000, clearance=Clearance(frozenset(), 9))
    assert fit_budget(tail(), evidence(), WORDS, (Reads(400), high)) == tail()


def test_what_fits_stays_as_it_is() -> None:
    found = evidence()
    assert fit_budget(tail(), found, WORDS, (Reads(100_000),)) == tail()
    assert fit_budget(tail(), found, WORDS, ()) == tail()


def test_a_pipeline_that_does_not_answer_stays_as_it_is() -> None:
    flat = load("flat")
    assert fit_budget(flat, evidence(), WORDS, (Reads(10),)) is flat
