"""Fitting a token budget to the windows of the models that will read the context."""

from docgraph.answer.answer_question import counted
from docgraph.answer.prompt import prompt_named
from docgraph.assemble.assemble_context import assemble_context
from docgraph.model.context import Context
from docgraph.model.evidence import RetrievedContext
from docgraph.model.tokens import TokenCounter
from docgraph.pipeline.pipeline import Pipeline, Step
from docgraph.ports.chat import ChatModel

_ASSEMBLE, _ANSWER = "assemble_context", "answer_question"
MOST_TRIES = 8


def fitted(
    pipeline: Pipeline,
    evidence: RetrievedContext,
    tokens: TokenCounter,
    models: tuple[ChatModel, ...],
) -> Pipeline:
    """The same steps with a budget whose page fits into every window, with prompt and answer.

    Which model is asked depends on the context, so all of them count. A model counts its tokens
    in its own way, so pages are tried: each time the budget shrinks as much as the page has to.
    Where that would leave no evidence the budget stays, and the model's own check tells.
    """
    budget, asking = _step(pipeline, _ASSEMBLE), _step(pipeline, _ANSWER)
    if budget is None or asking is None or not models:
        return pipeline
    most: int = budget.options["max_tokens"]
    for _ in range(MOST_TRIES):
        page = assemble_context(evidence, tokens, max_tokens=most)
        if not any(item.number for item in page.items):
            break
        share = min(_share(model, page, asking) for model in models)
        if share >= 1:
            return pipeline.changed(_ASSEMBLE, max_tokens=most)
        most = max(1, min(int(page.tokens * share), most - 1))
    return pipeline


def _share(model: ChatModel, page: Context, asking: Step) -> float:
    """How much of the page fits; 1 is all of it."""
    prompt = prompt_named(asking.options["prompt"])
    whole = counted(model, prompt.filled(page.text, page.question))
    bare = counted(model, prompt.filled("", page.question))
    room: int = model.window - asking.options["max_output"]
    if whole <= room:
        return 1.0
    return max(0, room - bare) / max(1, whole - bare)


def _step(pipeline: Pipeline, name: str) -> Step | None:
    return next((step for step in pipeline.steps if step.action.name == name), None)
