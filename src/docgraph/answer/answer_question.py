"""answer_question: a model answers from the context, and every sentence is checked."""

import re
from typing import Annotated, Literal

from annotated_types import Interval

from docgraph.action import action
from docgraph.answer.prompt import NOT_ENOUGH, load_prompt
from docgraph.model.access import classification_of, may_send
from docgraph.model.answer import Answer, CitedSource, Generation
from docgraph.model.context import Context
from docgraph.model.errors import ContextWindowExceeded, ModelError
from docgraph.ports.models import ChatModel, ChatModelChain, Message

PromptName = Literal["cited-1"]
NO_MODEL = "no model is configured: this is the context that one would read"
NO_QUESTION = "nobody asked anything: this is the context of the ids that were named"
NO_EVIDENCE = "not enough evidence: nothing was found that could answer this"
NO_ANSWER_IN_EVIDENCE = "not enough evidence: the model finds no answer in what it was given"


def sources_are_numbered(answer: Answer) -> bool:
    """Each source has a number of its own, from 1."""
    numbers = [source.number for source in answer.sources]
    return len(set(numbers)) == len(numbers) and all(number > 0 for number in numbers)


@action(ensures=(sources_are_numbered,))
def answer_question(
    context: Context,
    chat: ChatModelChain,
    *,
    prompt: PromptName = "cited-1",
    max_output: Annotated[int, Interval(ge=1, le=100_000)] = 800,
    seed: Annotated[int, Interval(ge=0, le=2**31 - 1)] = 0,
) -> Answer:
    """Asks the first model that may read the whole context and whose context window fits it.

    Without evidence no model is asked. Without a model the context is the answer.
    """
    # Its expressions take long to compile; a context needs none of them.
    from docgraph.answer.citations import citation_flags, cited_source, cited_sources

    evidence = tuple(cited_source(item) for item in context.chunks)
    if not evidence:
        reason = f"{NO_EVIDENCE} ({context.reason})" if context.reason else NO_EVIDENCE
        return _without_model("not_enough_evidence", context, reason)
    if not context.question:
        return _without_model("no_model", context, NO_QUESTION, context.text, evidence)
    if not chat.models:
        return _without_model("no_model", context, NO_MODEL, context.text, evidence)
    allowed = [model for model in chat.models if _may_read(model, context)]
    if not allowed:
        return _without_model("refused", context, describe_refusal(chat.models, context))
    template = load_prompt(prompt)
    messages = template.format(context.text, context.question)
    fitting = (model for model in allowed if fits_context_window(model, messages, max_output))
    model = next(fitting, None)
    if model is None:
        raise ContextWindowExceeded(describe_overflow(allowed[0], messages, max_output))
    reply = model.complete(messages, max_tokens=max_output, seed=seed, on_text=chat.on_text)
    generation = Generation(
        model=model.name,
        prompt=template.name,
        prompt_digest=template.digest,
        context_digest=context.digest,
        temperature=reply.sampling.temperature,
        seed=reply.sampling.seed,
        prompt_tokens=prompt_tokens(model, messages),
        output_tokens=max_output,
        context_window=model.context_window,
        counted="exact" if model.exact_count else "estimated",
    )
    text = reply.text.strip()
    if not text:
        raise ModelError(f"{model.name} said nothing; it ended with: {reply.finish}")
    if is_not_enough(text):
        question, reason = context.question, NO_ANSWER_IN_EVIDENCE
        return Answer("not_enough_evidence", question, text, reason, (), (), generation)
    return Answer(
        kind="answered",
        question=context.question,
        text=text,
        reason="",
        sources=cited_sources(text, context),
        flags=citation_flags(text, context, reply.finish),
        generation=generation,
    )


def fits_context_window(model: ChatModel, messages: tuple[Message, ...], max_output: int) -> bool:
    """Whether prompt, context and answer fit, counted before anything is sent."""
    return prompt_tokens(model, messages) + max_output <= model.context_window


def describe_overflow(model: ChatModel, messages: tuple[Message, ...], max_output: int) -> str:
    how = "takes" if model.exact_count else "takes, at an estimate,"
    return (
        f"the prompt {how} {prompt_tokens(model, messages)} tokens "
        f"and the answer up to {max_output}; "
        f"{model.name} reads {model.context_window} in all"
    )


def prompt_tokens(model: ChatModel, messages: tuple[Message, ...]) -> int:
    return sum(model.count(message.content) for message in messages)


def is_not_enough(text: str) -> bool:
    """Whether the text is only the agreed phrase; an answer may contain its words, too."""
    words = re.sub(r"[^A-Z]+", " ", text.upper()).strip()
    return words.removeprefix("ANSWER ") == NOT_ENOUGH


def describe_refusal(models: tuple[ChatModel, ...], context: Context) -> str:
    """Names the labels and levels that the models lack, and nothing else."""
    classification = classification_of(context)
    clearances = (model.clearance for model in models if model.clearance is not None)
    reasons = dict.fromkeys(one.reason_against(*classification) for one in clearances)
    return f"not sent to any model: {'; '.join(reasons)}"


def _may_read(model: ChatModel, context: Context) -> bool:
    return may_send(model.clearance, *classification_of(context))


def _without_model(
    kind: Literal["not_enough_evidence", "no_model", "refused"],
    context: Context,
    reason: str,
    text: str = "",
    sources: tuple[CitedSource, ...] = (),
) -> Answer:
    return Answer(kind, context.question, text, reason, sources, (), None)
