"""Checks that a receipt is consistent in itself, without a store and without rights."""

import re
from collections.abc import Iterator
from typing import get_args

from docgraph.answer.answer_question import PromptName
from docgraph.answer.prompt import load_prompt
from docgraph.model.answer import Answer
from docgraph.model.context import Context
from docgraph.model.digest import digest
from docgraph.model.embedding_state import NOTHING
from docgraph.model.errors import BadInput
from docgraph.model.plan import RetrievalPlan
from docgraph.model.question import Question
from docgraph.model.seeds import Seeds
from docgraph.model.vector import MAX_SQUARED_LENGTH
from docgraph.pipeline.receipt import Receipt, reranker_of
from docgraph.pipeline.request import validate_question
from docgraph.pipeline.retrieval import MAX_PLANNED_NODES
from docgraph.pipeline.run import artifact_name

_TEMPERATURE = re.compile(r"temperature [0-9]+(\.[0-9]+)?(e-?[0-9]+)?")


def find_answer_problems(receipt: Receipt) -> Iterator[str]:
    """Compares the recorded answer with its step. Model and text cannot be checked."""
    answer = receipt.answer
    if answer is None:
        return
    if not answer.model:
        if (answer.prompt, answer.prompt_digest, answer.sampling) != ("", "", ""):
            yield "no model answered, and yet one was asked with a prompt"
        return
    steps = receipt.steps[len(receipt.before_answer) :]
    options = dict(steps[0].options) if steps else {}
    if answer.prompt != options.get("prompt"):
        yield "the answer's prompt is not the one that its step names"
    if answer.prompt not in get_args(PromptName):  # a receipt is data, and names no file to read
        yield f"no prompt is called {answer.prompt!r}"
    elif answer.prompt_digest != load_prompt(answer.prompt).digest:
        yield f"the prompt's digest is not that of {answer.prompt}"
    seed = f"seed {options.get('seed')}"
    temperature = answer.sampling.removesuffix(f", {seed}")
    if answer.sampling not in {"", seed} and not _TEMPERATURE.fullmatch(temperature):
        yield "the answer was not sampled with a temperature and its step's seed"


_DIGEST = re.compile(r"[0-9a-f]{64}")


def find_receipt_problems(receipt: Receipt) -> tuple[str, ...]:
    """Every inconsistency as a sentence; empty if there is none."""
    checks = (
        *(_check_seal, _check_question, _check_digests, _check_pipeline, _check_plan),
        *(_check_seeds, _check_inputs, _check_outputs, _check_results, _check_models),
        find_answer_problems,
    )
    return tuple(problem for check in checks for problem in check(receipt))


def pipeline_digest_matches(receipt: Receipt) -> bool:
    """Whether the recorded digest of the pipeline is that of the recorded steps."""
    steps = [[step.action, dict(step.options)] for step in receipt.steps]
    return digest(steps) == receipt.pipeline_digest


def _check_seal(receipt: Receipt) -> Iterator[str]:
    if receipt.with_digest() != receipt:
        yield "its own digest is not that of what it holds: something was changed"


def _check_question(receipt: Receipt) -> Iterator[str]:
    try:
        if validate_question(receipt.question, receipt.seeds) != receipt.question:
            yield "the question begins or ends with blanks"
    except BadInput as error:
        yield f"nobody could have asked this: {error}"
    repositories = [name.repository for name in receipt.snapshots]
    if sorted(set(repositories)) != repositories:
        yield "its snapshots do not name each repository once, in order"


def _check_pipeline(receipt: Receipt) -> Iterator[str]:
    for position, step in enumerate(receipt.steps, start=1):
        if len(dict(step.options)) < len(step.options):
            yield f"step {position} ({step.action}) has an option twice"
    if not pipeline_digest_matches(receipt):
        yield "the pipeline's digest is not that of its steps"


def _check_plan(receipt: Receipt) -> Iterator[str]:
    plan = receipt.plan
    if plan.digest != receipt.plan_digest:
        yield "the plan's digest is not that of the plan"
    if plan.question != receipt.question:
        yield "the plan is of another question"
    if plan.embedder != receipt.embedder:
        yield "the plan is of another embedder"
    is_embedded = receipt.question and plan.constraints.embeddings != NOTHING
    if len(plan.query_vector) != (plan.embedder.dimensions if is_embedded else 0):
        yield "the question's vector has not as many numbers as its embedder gives"
    if sum(value * value for value in plan.query_vector) > MAX_SQUARED_LENGTH:
        yield "the question's vector is longer than any unit vector"
    named = (*plan.seed_documents, *(e.document_id for e in plan.expanded_documents))
    if sorted(plan.order) != sorted(set(named)) or len(set(named)) < len(named):
        yield "the plan's order does not name its seeds and expanded documents once each"
    if len(plan.order) > MAX_PLANNED_NODES:
        yield f"the plan holds more than {MAX_PLANNED_NODES} nodes"


def _check_seeds(receipt: Receipt) -> Iterator[str]:
    """Given ids replace search: no step makes seeds then."""
    seeds = artifact_name(Seeds)
    searched = any(step.output[0] == seeds for step in receipt.steps)
    if receipt.seeds and searched:
        yield f"ids were given in place of search, and yet a step made {seeds}"
    if not receipt.seeds and not searched:
        yield f"no ids were given, and no step made {seeds}"


def _check_inputs(receipt: Receipt) -> Iterator[str]:
    """A step reads what the last step before it made, the question, or the given seeds."""
    available = {artifact_name(Question): digest(receipt.embedded_question)}
    for position, step in enumerate(receipt.steps, start=1):
        for kind, read in step.inputs:
            if kind == artifact_name(Seeds) and receipt.seeds:
                available.setdefault(kind, read)  # which given ids were visible is not recorded
            if kind not in available:
                yield f"step {position} ({step.action}) read {kind}, which no step before it made"
            elif available[kind] != read:
                yield f"step {position} ({step.action}) read another {kind} than was made before it"
        kind, made = step.output
        available[kind] = made


def _check_outputs(receipt: Receipt) -> Iterator[str]:
    """Each output is read before it is replaced, or is the last one: no step is unused."""
    needed = {kind for kind, _ in (step.output for step in receipt.steps[-1:])}
    for position, step in reversed(tuple(enumerate(receipt.steps, start=1))):
        kind, _ = step.output
        if kind not in needed:
            yield f"step {position} ({step.action}) made {kind}, which no step after it read"
        needed.discard(kind)
        needed.update(read for read, _ in step.inputs)


def _check_results(receipt: Receipt) -> Iterator[str]:
    """The receipt's plan, context and answer are those that its steps made."""
    before = len(receipt.before_answer)
    made = dict(step.output for step in receipt.steps[:before])
    made.update(step.output for step in receipt.steps[before:][:1])
    for kind, recorded in (
        (RetrievalPlan, receipt.plan_digest),
        (Context, receipt.context_digest),
        (Answer, receipt.answer.digest if receipt.answer else None),
    ):
        name = artifact_name(kind)
        if name not in made and recorded is not None:
            yield f"no step made {name}"
        elif made.get(name) != recorded:
            yield f"the digest of {name} is not that of the step that made it"
    if len(receipt.steps) > before + 1:
        yield "steps follow the answer"


def _check_models(receipt: Receipt) -> Iterator[str]:
    if (receipt.tokenizer is None) != (receipt.context_digest is None):
        yield "a context has a tokenizer that counted it, and nothing else has one"
    if receipt.reranker != reranker_of(receipt.plan):
        yield "the plan names another reranker"


def _check_digests(receipt: Receipt) -> Iterator[str]:
    """Those that nothing else in the receipt is compared with."""
    digests = {
        "principal": receipt.principal,
        "rights": receipt.rights,
        "embedder": receipt.embedder.digest,
    }
    for name, one in digests.items():
        if not _DIGEST.fullmatch(one):
            yield f"what stands for the {name} is not a digest"
    for position, step in enumerate(receipt.steps, start=1):
        if not all(_DIGEST.fullmatch(one) for _, one in (*step.inputs, step.output)):
            yield f"step {position} ({step.action}) read or made something without a digest"
