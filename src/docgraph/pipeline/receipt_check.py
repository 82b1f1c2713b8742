"""Is a receipt consistent in itself? That needs no store and no rights."""

import re
from collections.abc import Iterator
from typing import get_args

from docgraph.answer.answer_question import PromptName
from docgraph.answer.prompt import prompt_named
from docgraph.model.answer import Answer
from docgraph.model.context import Context
from docgraph.model.digest import digest
from docgraph.model.errors import BadInput
from docgraph.model.plan import RetrievalPlan
from docgraph.model.question import Question
from docgraph.model.seeds import Seeds
from docgraph.model.vector import MAX_SQUARED_LENGTH
from docgraph.pipeline.receipt import Receipt, reranker_of
from docgraph.pipeline.request import checked_question
from docgraph.pipeline.retrieval import MOST_PLANNED

# Is what a receipt tells of its answer what the answer's own step would tell?


_NUMBER = r"[0-9]+(\.[0-9]+)?(e-?[0-9]+)?"


def answer_problems(receipt: Receipt) -> Iterator[str]:
    """Which model it was and what it said are claims: nothing here could prove them."""
    told = receipt.answer
    if told is None:
        return
    if not told.model:
        if (told.prompt, told.prompt_digest, told.sampling) != ("", "", ""):
            yield "no model answered, and yet one was asked with a prompt"
        return
    steps = receipt.steps[len(receipt.before_answer) :]
    options = dict(steps[0].options) if steps else {}
    if told.prompt != options.get("prompt"):
        yield "the answer's prompt is not the one that its step names"
    if told.prompt not in get_args(PromptName):  # a receipt is data, and names no file to read
        yield f"no prompt is called {told.prompt!r}"
    elif told.prompt_digest != prompt_named(told.prompt).digest:
        yield f"the prompt's digest is not that of {told.prompt}"
    seed = f"seed {re.escape(str(options.get('seed')))}"
    if not re.fullmatch(rf"(temperature {_NUMBER}(, {seed})?|{seed})?", told.sampling):
        yield "the answer was not sampled with a temperature and its step's seed"


_DIGEST = re.compile(r"[0-9a-f]{64}")


def problems_of(receipt: Receipt) -> tuple[str, ...]:
    """In words, everything that does not fit together; nothing, if all does."""
    of_the_asked = (_seal, _who, _digests, _pipeline, _plan)
    of_the_steps = (_start, _chain, _used, _made, _models, answer_problems)
    checks = (*of_the_asked, *of_the_steps)
    return tuple(problem for check in checks for problem in check(receipt))


def is_pipelines_own(receipt: Receipt) -> bool:
    """Whether the recorded digest of the pipeline is that of the recorded steps."""
    steps = [[step.action, dict(step.options)] for step in receipt.steps]
    return digest(steps) == receipt.pipeline_digest


def _seal(receipt: Receipt) -> Iterator[str]:
    if receipt.sealed() != receipt:
        yield "its own digest is not that of what it holds: something was changed"


def _who(receipt: Receipt) -> Iterator[str]:
    try:
        if checked_question(receipt.question, receipt.seeds) != receipt.question:
            yield "the question begins or ends with blanks"
    except BadInput as error:
        yield f"nobody could have asked this: {error}"
    repositories = [name.repository for name in receipt.snapshots]
    if sorted(set(repositories)) != repositories:
        yield "its snapshots do not name each repository once, in order"


def _pipeline(receipt: Receipt) -> Iterator[str]:
    for place, step in enumerate(receipt.steps, start=1):
        if len(dict(step.options)) < len(step.options):
            yield f"step {place} ({step.action}) has an option twice"
    if not is_pipelines_own(receipt):
        yield "the pipeline's digest is not that of its steps"


def _plan(receipt: Receipt) -> Iterator[str]:
    plan = receipt.plan
    if plan.digest != receipt.plan_digest:
        yield "the plan's digest is not that of the plan"
    if plan.question != receipt.question:
        yield "the plan is of another question"
    if plan.embedder != receipt.embedder:
        yield "the plan is of another embedder"
    if len(plan.query_vector) != (plan.embedder.dimensions if receipt.question else 0):
        yield "the question's vector has not as many numbers as its embedder gives"
    if sum(value * value for value in plan.query_vector) > MAX_SQUARED_LENGTH:
        yield "the question's vector is longer than any unit vector"
    named = (*plan.seed_documents, *(e.document_id for e in plan.expanded_documents))
    if sorted(plan.order) != sorted(set(named)) or len(set(named)) < len(named):
        yield "the plan's order does not name its seeds and expanded documents once each"
    if len(plan.order) > MOST_PLANNED:
        yield f"the plan holds more than {MOST_PLANNED} nodes"


def _start(receipt: Receipt) -> Iterator[str]:
    """Ids take the place of search: all steps that make seeds are left out for them."""
    searched = any(kind == Seeds.__name__ for kind, _ in (step.output for step in receipt.steps))
    if receipt.seeds and searched:
        yield "ids were given in place of search, and yet a step made Seeds"
    if not receipt.seeds and not searched:
        yield "no ids were given, and no step made Seeds"


def _chain(receipt: Receipt) -> Iterator[str]:
    """What a step read is what the last step before it made, the question, or the given seeds."""
    known = {Question.__name__: digest(receipt.asked)}
    for place, step in enumerate(receipt.steps, start=1):
        for kind, told in step.inputs:
            if kind == Seeds.__name__ and receipt.seeds:
                known.setdefault(kind, told)  # which of the given ids were seen is not told
            if kind not in known:
                yield f"step {place} ({step.action}) read {kind}, which no step before it made"
            elif known[kind] != told:
                yield f"step {place} ({step.action}) read another {kind} than was made before it"
        kind, made = step.output
        known[kind] = made


def _used(receipt: Receipt) -> Iterator[str]:
    """What a step made is read before it is made anew, or it is the last: no step is idle."""
    wanted = {kind for kind, _ in (step.output for step in receipt.steps[-1:])}
    for place, step in reversed(tuple(enumerate(receipt.steps, start=1))):
        kind, _ = step.output
        if kind not in wanted:
            yield f"step {place} ({step.action}) made {kind}, which no step after it read"
        wanted.discard(kind)
        wanted.update(read for read, _ in step.inputs)


def _made(receipt: Receipt) -> Iterator[str]:
    """The plan, the context and then the answer are those that the steps made."""
    before = len(receipt.before_answer)
    made = dict(step.output for step in receipt.steps[:before])
    made.update(step.output for step in receipt.steps[before:][:1])
    for kind, told in (
        (RetrievalPlan, receipt.plan_digest),
        (Context, receipt.context_digest),
        (Answer, receipt.answer.digest if receipt.answer else None),
    ):
        name = kind.__name__
        if name not in made and told is not None:
            yield f"no step made its {name}"
        elif made.get(name) != told:
            yield f"its {name} is not the one that a step made"
    if len(receipt.steps) > before + 1:
        yield "steps follow the answer"


def _models(receipt: Receipt) -> Iterator[str]:
    if (receipt.tokenizer is None) != (receipt.context_digest is None):
        yield "a context has a tokenizer that counted it, and nothing else has one"
    if receipt.reranker != reranker_of(receipt.plan):
        yield "the plan names another reranker"


def _digests(receipt: Receipt) -> Iterator[str]:
    """Those that nothing else in the receipt is held against."""
    named = {"asker": receipt.asker, "rights": receipt.rights, "embedder": receipt.embedder.digest}
    for name, told in named.items():
        if not _DIGEST.fullmatch(told):
            yield f"what stands for the {name} is not a digest"
    for place, step in enumerate(receipt.steps, start=1):
        if not all(_DIGEST.fullmatch(told) for _, told in (*step.inputs, step.output)):
            yield f"step {place} ({step.action}) read or made something without a digest"
