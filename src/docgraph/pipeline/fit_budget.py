"""Fitting a token budget to the window of the model that will read the context."""

from collections.abc import Callable

from docgraph.answer.answer_question import fits
from docgraph.answer.prompt import prompt_named
from docgraph.assemble.assemble_context import assemble_context
from docgraph.model.access import classification_of, may_send
from docgraph.model.context import Context, TokenCounter
from docgraph.model.evidence import RetrievedContext
from docgraph.pipeline.pipeline import Pipeline, Step
from docgraph.ports.models import ChatModel

_ASSEMBLE, _ANSWER = "assemble_context", "answer_question"


def fit_budget(
    pipeline: Pipeline,
    evidence: RetrievedContext,
    tokens: TokenCounter,
    models: tuple[ChatModel, ...],
) -> Pipeline:
    """The same steps, with a budget whose page fits the first model that may read it.

    A model counts its tokens in its own way, so pages are tried, by halving. Where no page with
    evidence fits, the budget stays, and answering tells.
    """
    budget, asking = _step(pipeline, _ASSEMBLE), _step(pipeline, _ANSWER)
    if budget is None or asking is None or not models:
        return pipeline

    def page(most: int) -> Context:
        return assemble_context(evidence, tokens, max_tokens=most)

    whole = page(budget.options["max_tokens"])
    able = [model for model in models if may_send(model.ceiling, *classification_of(whole))]
    if any(_fits(model, whole, asking) for model in able):
        return pipeline
    for model in able:
        if most := _most(model, page, whole.tokens, asking):
            return pipeline.changed(_ASSEMBLE, max_tokens=most)
    return pipeline


def _most(model: ChatModel, page: Callable[[int], Context], too_many: int, asking: Step) -> int:
    """The largest budget found whose page fits; 0 if that leaves no evidence on it."""
    most = 0
    while too_many - most > 1:
        between = (most + too_many) // 2
        if _fits(model, page(between), asking):
            most = between
        else:
            too_many = between
    return most if most and any(item.number for item in page(most).items) else 0


def _fits(model: ChatModel, page: Context, asking: Step) -> bool:
    messages = prompt_named(asking.options["prompt"]).format(page.text, page.question)
    return fits(model, messages, asking.options["max_output"])


def _step(pipeline: Pipeline, name: str) -> Step | None:
    return next((step for step in pipeline.steps if step.action.name == name), None)
