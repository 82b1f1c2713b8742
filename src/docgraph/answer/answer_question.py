"""answer_question: ask a model of the context, and check every sentence of what it says."""

import re
from typing import Annotated, Literal

from annotated_types import Interval

from docgraph.action import action
from docgraph.answer.citations import flags_of, source, sources_of
from docgraph.answer.prompt import NOT_ENOUGH, prompt_named
from docgraph.model.access import classification_of, may_send
from docgraph.model.answer import Answer, CitedSource, Generation
from docgraph.model.context import Context
from docgraph.model.errors import ModelError, TooLong
from docgraph.ports.models import ChatModel, ChatModelChain, Message

PromptName = Literal["cited-1"]
NO_MODEL = "no model is configured: this is the context that one would read"
NO_QUESTION = "nobody asked anything: this is the context of the ids that were named"
NO_EVIDENCE = "not enough evidence: nothing was found that could answer this"
MODEL_SAYS_SO = "not enough evidence: the model finds no answer in what it was given"


def cites_its_context(answer: Answer) -> bool:
    """Sources have numbers, each once."""
    numbers = [source.number for source in answer.sources]
    return len(set(numbers)) == len(numbers) and all(number > 0 for number in numbers)


@action(ensures=(cites_its_context,))
def answer_question(
    context: Context,
    chat: ChatModelChain,
    *,
    prompt: PromptName = "cited-1",
    max_output: Annotated[int, Interval(ge=1, le=100_000)] = 800,
    seed: Annotated[int, Interval(ge=0, le=2**31 - 1)] = 0,
) -> Answer:
    """The first model is asked that may read the whole context, and into whose window it fits.

    Without evidence no model is asked. Without a model the context is the answer.
    """
    evidence = tuple(source(item) for item in context.items if item.number)
    if not evidence:
        reason = f"{NO_EVIDENCE} ({context.reason})" if context.reason else NO_EVIDENCE
        return _unasked("not_enough_evidence", context, reason)
    if not context.question:
        return _unasked("no_model", context, NO_QUESTION, context.text, evidence)
    if not chat.models:
        return _unasked("no_model", context, NO_MODEL, context.text, evidence)
    able = [model for model in chat.models if _may_read(model, context)]
    if not able:
        return _unasked("refused", context, refusal(chat.models, context))
    chosen = prompt_named(prompt)
    messages = chosen.format(context.text, context.question)
    model = next((model for model in able if fits(model, messages, max_output)), None)
    if model is None:
        raise TooLong(too_long(able[0], messages, max_output))
    said = model.complete(messages, max_tokens=max_output, seed=seed, on_text=chat.on_text)
    asking = Generation(
        model=model.name,
        prompt=chosen.name,
        prompt_digest=chosen.digest,
        context_digest=context.digest,
        temperature=said.sampling.temperature,
        seed=said.sampling.seed,
        prompt_tokens=prompt_tokens(model, messages),
        output_tokens=max_output,
        window=model.context_window,
        counted="exact" if model.exact_count else "estimated",
    )
    text = said.text.strip()
    if not text:
        raise ModelError(f"{model.name} said nothing; it ended with: {said.finish}")
    if is_not_enough(text):
        return Answer("not_enough_evidence", context.question, text, MODEL_SAYS_SO, (), (), asking)
    return Answer(
        kind="answered",
        question=context.question,
        text=text,
        reason="",
        sources=sources_of(text, context),
        flags=flags_of(text, context, said.finish),
        asking=asking,
    )


def fits(model: ChatModel, messages: tuple[Message, ...], max_output: int) -> bool:
    """Prompt, context and answer, counted before anything is sent."""
    return prompt_tokens(model, messages) + max_output <= model.context_window


def too_long(model: ChatModel, messages: tuple[Message, ...], max_output: int) -> str:
    how = "takes" if model.exact_count else "takes, at an estimate,"
    return (
        f"the prompt {how} {prompt_tokens(model, messages)} tokens "
        f"and the answer up to {max_output}; "
        f"{model.name} reads {model.context_window} in all"
    )


def prompt_tokens(model: ChatModel, messages: tuple[Message, ...]) -> int:
    return sum(model.count(message.content) for message in messages)


def is_not_enough(text: str) -> bool:
    """All of it, but for what stands around it; an answer may speak of evidence, too."""
    words = re.sub(r"[^A-Z]+", " ", text.upper()).strip()
    return words.removeprefix("ANSWER ") == NOT_ENOUGH


def refusal(models: tuple[ChatModel, ...], context: Context) -> str:
    """Names the rule that stands in the way, and nothing else."""
    mark = classification_of(context)
    objections = dict.fromkeys(
        model.ceiling.reason_against(*mark) for model in models if model.ceiling is not None
    )
    return f"not sent to any model: {'; '.join(objections)}"


def _may_read(model: ChatModel, context: Context) -> bool:
    return may_send(model.ceiling, *classification_of(context))


def _unasked(
    kind: Literal["not_enough_evidence", "no_model", "refused"],
    context: Context,
    reason: str,
    text: str = "",
    sources: tuple[CitedSource, ...] = (),
) -> Answer:
    return Answer(kind, context.question, text, reason, sources, (), None)
