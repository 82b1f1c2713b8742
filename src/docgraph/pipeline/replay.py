"""Replays a receipt: runs the same steps again and compares them with the record."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from docgraph.action import Action
from docgraph.model.access import Principal
from docgraph.model.context import Context
from docgraph.model.digest import plain
from docgraph.model.errors import BadInput, BadPipeline, NotVisible, WrongEmbedder
from docgraph.model.plan import RetrievalPlan
from docgraph.model.question import Question
from docgraph.model.seeds import Seeds
from docgraph.model.validation import suggest
from docgraph.pipeline.catalog import (
    ACTIONS,
    IMPLICIT_ACTIONS,
    PROVIDED_TYPES,
    FindAction,
    find_none,
)
from docgraph.pipeline.load import load, shipped_pipelines
from docgraph.pipeline.pipeline import Pipeline, Step, validate_value
from docgraph.pipeline.receipt import Receipt, ReceiptStep, reranker_of, rights_digest
from docgraph.pipeline.receipt_check import find_receipt_problems, pipeline_digest_matches
from docgraph.pipeline.retrieval import Retrieval
from docgraph.pipeline.run import artifact_name

ChangeKind = Literal["pipeline", "embedder", "rights", "no longer available", "content"]


@dataclass(frozen=True, slots=True)
class ReplayDifference:
    """The first step that differs (`position`, from 1), and what changed."""

    position: int
    step: str
    changed: ChangeKind
    why: str


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """Either `again` gave the same bytes, or `difference` says why not.

    `steps` is how many were recorded, without the answer's. `notes` are not differences.
    """

    steps: int
    again: Retrieval | None
    difference: ReplayDifference | None
    notes: tuple[str, ...]

    @property
    def same(self) -> bool:
        return self.difference is None


_IMPLICIT = {action.name: action for action in IMPLICIT_ACTIONS}


def step_from_receipt(
    recorded: ReceiptStep, made: frozenset[type], find_installed: FindAction = find_none
) -> Step:
    """Validated like a step from YAML; `made` are the outputs of the steps before it."""
    name = recorded.action
    action = ACTIONS.get(name) or _IMPLICIT.get(name) or find_installed(name)
    if action is None:
        known = (*ACTIONS, *_IMPLICIT)
        raise BadPipeline(f"no action is called {name!r}; {suggest(name, known)}")
    available = made.union(PROVIDED_TYPES)
    missing = [kind.__name__ for _, kind in action.requires if kind not in available]
    if missing:
        raise BadPipeline(f"{action.name} needs {', '.join(missing)}, which no step before it made")
    options = {name: _validate(action, name, value) for name, value in recorded.options}
    for option in action.options:
        if option.name not in options:
            raise BadPipeline(f"{action.name} has a new option, {option.name!r}")
    for rule in action.option_rules:
        if problem := rule(options):
            raise BadPipeline(f"{action.name}: {problem}")
    return Step.of(action, options)


def _validate(action: Action, name: str, value: object) -> object:
    option = action.option(name)
    if option is None:
        hint = suggest(name, [option.name for option in action.options])
        raise BadPipeline(f"{action.name}: no option is called {name!r}; {hint}")
    try:
        return validate_value(option.annotation, value)
    except ValueError as error:
        raise BadPipeline(f"{action.name}: {name}: {error}") from error


def pipeline_changes(receipt: Receipt) -> tuple[str, ...]:
    """A note if a shipped pipeline has changed since; a receipt's name never opens a file."""
    if receipt.pipeline not in shipped_pipelines():
        return ()
    today = load(receipt.pipeline)
    steps = (today.starting_from(Seeds) if receipt.seeds else today).steps
    then = [_without_budget(step.action, dict(step.options)) for step in receipt.before_answer]
    if then == [_without_budget(step.action.name, step.options) for step in steps[: len(then)]]:
        return ()
    return (f"the pipeline {receipt.pipeline} has other steps or options today than were recorded",)


def answer_changes(receipt: Receipt, find_installed: FindAction) -> tuple[str, ...]:
    """A note if the answer's step, which is not run again, could not be run."""
    try:
        for recorded in receipt.steps[len(receipt.before_answer) :]:
            step_from_receipt(recorded, frozenset({Context}), find_installed)
    except BadPipeline as error:
        return (f"the answer could not be asked for as it was recorded: {error}",)
    return ()


def _without_budget(action: str, options: Mapping[str, Any]) -> tuple[str, Any]:
    """The token budget may be the request's, or fitted to a model's context window."""
    budget = "max_tokens" if action == "assemble_context" else None
    return action, plain({name: value for name, value in options.items() if name != budget})


NO_LONGER_VISIBLE = "not everything that this receipt names can be seen"
ANSWER_NOT_REPEATED = "the answer was not asked for again: a model need not say the same twice"


def replay(
    receipt: Receipt,
    principal: Principal,
    rerun: Callable[[Pipeline], Retrieval],
    find_installed: FindAction = find_none,
) -> ReplayResult:
    """`rerun` runs the pipeline on the receipt's snapshots with the reader's present rights.

    It raises NotVisible where anything that the receipt names is not visible. The result does
    not say what, or why: revoked, deleted, pruned and never visible look the same.
    """
    result = _rerun_and_compare(receipt, principal, rerun, find_installed)
    notes = pipeline_changes(receipt)
    steps = len(receipt.before_answer)
    if isinstance(result, ReplayDifference):
        return ReplayResult(steps, None, result, notes)
    if receipt.rights != rights_digest(principal):
        notes += ("your rights are not those that this receipt was made with",)
    if receipt.answer:
        notes += (ANSWER_NOT_REPEATED, *answer_changes(receipt, find_installed))
    return ReplayResult(steps, result, None, notes)


def node_ids_in(plan: RetrievalPlan) -> tuple[str, ...]:
    """Every node that a plan names: planned, excluded, or at an end of an edge."""
    ends = (end for e in plan.expanded_documents for end in (e.source, e.target))
    cut = (one.document_id for one in plan.cut)
    return tuple(dict.fromkeys((*plan.order, *ends, *cut, *plan.constraints.selection.dropped)))


def require_same_embedding(receipt: Receipt, question: Question) -> Question:
    """The question with its present vector, which must be the recorded one."""
    was, now = receipt.embedder, question.embedder
    if was != now:
        raise WrongEmbedder(f"then it was {was}, now it is {now}")
    if question != receipt.embedded_question:
        raise WrongEmbedder(f"{now.name} gives another vector for this question than it did then")
    return question


def _rerun_and_compare(
    receipt: Receipt,
    principal: Principal,
    rerun: Callable[[Pipeline], Retrieval],
    find_installed: FindAction,
) -> ReplayDifference | Retrieval:
    steps = _recorded_steps(receipt, find_installed)
    if isinstance(steps, ReplayDifference):
        return steps
    first = receipt.steps[0].action
    try:
        retrieval = rerun(Pipeline(receipt.pipeline, steps))
    except NotVisible:
        return ReplayDifference(1, first, "no longer available", NO_LONGER_VISIBLE)
    except WrongEmbedder as error:
        return ReplayDifference(1, first, "embedder", str(error))
    except (BadInput, BadPipeline) as error:
        return ReplayDifference(1, first, "pipeline", _cannot(error))
    return _first_difference(receipt, principal, retrieval) or retrieval


def _recorded_steps(
    receipt: Receipt, find_installed: FindAction
) -> tuple[Step, ...] | ReplayDifference:
    """An edited receipt is refused: its replay would prove nothing."""
    if receipt.steps and not pipeline_digest_matches(receipt):
        why = "the recorded digest of the pipeline is not that of its steps"
        return ReplayDifference(1, receipt.steps[0].action, "pipeline", why)
    if problems := find_receipt_problems(receipt):
        raise BadInput(f"this receipt is not consistent: {problems[0]}")
    steps: list[Step] = []
    made: frozenset[type] = frozenset({Seeds}) if receipt.seeds else frozenset()
    for position, recorded in enumerate(receipt.before_answer, start=1):
        try:
            step = step_from_receipt(recorded, made, find_installed)
        except BadPipeline as error:
            return ReplayDifference(position, recorded.action, "pipeline", _cannot(error))
        steps.append(step)
        made |= {step.action.makes}
    return tuple(steps)


def _cannot(error: Exception) -> str:
    return f"the pipeline cannot be run any more: {error}"


def _first_difference(
    receipt: Receipt, principal: Principal, again: Retrieval
) -> ReplayDifference | None:
    rows = zip(receipt.before_answer, again.run.trace.steps, strict=True)
    for position, (step, row) in enumerate(rows, start=1):
        same = (step.inputs, step.output) == (row.inputs, row.output)
        if not same or _tokenizer_differs(receipt, again, step):
            change = _describe_change(receipt, principal, again, step)
            return ReplayDifference(position, step.action, *change)
    return None


def _tokenizer_differs(receipt: Receipt, again: Retrieval, step: ReceiptStep) -> bool:
    made = step.output[0] == artifact_name(Context) and Context in again.run.values
    return made and again.context.tokenizer != receipt.tokenizer


def _describe_change(
    receipt: Receipt, principal: Principal, again: Retrieval, step: ReceiptStep
) -> tuple[ChangeKind, str]:
    if receipt.reranker != reranker_of(again.plan):
        return "pipeline", f"the reranker was {receipt.reranker}, it is {reranker_of(again.plan)}"
    if _tokenizer_differs(receipt, again, step):
        now = again.context.tokenizer
        return "pipeline", f"tokens were counted by {receipt.tokenizer}, not {now}"
    if receipt.rights != rights_digest(principal):
        return "rights", "your rights are not those that this receipt was made with"
    return "content", "what you see there is not what was seen then"
