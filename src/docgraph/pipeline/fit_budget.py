"""Fits a token budget to the context window of the model that will read the context."""

from collections.abc import Callable

from docgraph.answer.answer_question import fits_context_window
from docgraph.answer.prompt import load_prompt
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
    """The same steps, with a budget whose context fits the first model that may read it.

    Models count tokens differently, so budgets are tried by bisection. Where no context with
    evidence fits, the budget stays, and the answer's step reports it.
    """
    assemble, answer = _find_step(pipeline, _ASSEMBLE), _find_step(pipeline, _ANSWER)
    if assemble is None or answer is None or not models:
        return pipeline

    def build(max_tokens: int) -> Context:
        return assemble_context(evidence, tokens, max_tokens=max_tokens)

    full = build(assemble.options["max_tokens"])
    allowed = [model for model in models if may_send(model.clearance, *classification_of(full))]
    if any(_fits(model, full, answer) for model in allowed):
        return pipeline
    for model in allowed:
        if budget := _largest_budget(model, build, full.tokens, answer):
            return pipeline.with_options(_ASSEMBLE, max_tokens=budget)
    return pipeline


def _largest_budget(
    model: ChatModel, build: Callable[[int], Context], too_large: int, answer: Step
) -> int:
    """The largest budget found whose context fits; 0 if that context has no evidence."""
    budget = 0
    while too_large - budget > 1:
        middle = (budget + too_large) // 2
        if _fits(model, build(middle), answer):
            budget = middle
        else:
            too_large = middle
    return budget if budget and build(budget).chunks else 0


def _fits(model: ChatModel, context: Context, answer: Step) -> bool:
    messages = load_prompt(answer.options["prompt"]).format(context.text, context.question)
    return fits_context_window(model, messages, answer.options["max_output"])


def _find_step(pipeline: Pipeline, name: str) -> Step | None:
    return next((step for step in pipeline.steps if step.action.name == name), None)
