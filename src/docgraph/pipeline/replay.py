"""Replaying a receipt: the same steps once more, held against what was recorded of them."""

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
from docgraph.pipeline.catalog import ACTIONS, GIVEN, IMPLICIT
from docgraph.pipeline.load import load, shipped
from docgraph.pipeline.pipeline import Pipeline, Step, checked_value
from docgraph.pipeline.receipt import Receipt, ReceiptStep, reranker_of, rights_digest
from docgraph.pipeline.receipt_check import is_pipelines_own, problems_of
from docgraph.pipeline.retrieval import Retrieval

# What came of a replay: the same bytes, or the first step that differs and what changed.


Changed = Literal["pipeline", "embedder", "rights", "no longer available", "content"]


@dataclass(frozen=True, slots=True)
class ReplayDifference:
    """The first step that differs, by its place from 1 on, and what changed."""

    place: int
    step: str
    changed: Changed
    why: str


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """Either `again` gave the same bytes, or `difference` tells why not.

    `steps` is how many were recorded, without the answer's. `notes` are no differences.
    """

    steps: int
    again: Retrieval | None
    difference: ReplayDifference | None
    notes: tuple[str, ...]

    @property
    def same(self) -> bool:
        return self.difference is None


# A recorded step as a step that can be run again, held to the same checks as one out of YAML.


_KNOWN = {**ACTIONS, **{action.name: action for action in IMPLICIT}}


def step_from_receipt(told: ReceiptStep, made: frozenset[type]) -> Step:
    """`made` is what the steps before it make. A step that cannot be run is refused."""
    if told.action not in _KNOWN:
        raise BadPipeline(f"no action is called {told.action!r}; {suggest(told.action, _KNOWN)}")
    action = _KNOWN[told.action]
    missing = [kind.__name__ for _, kind in action.requires if kind not in made.union(GIVEN)]
    if missing:
        raise BadPipeline(f"{action.name} needs {', '.join(missing)}, which no step before it made")
    options = {name: _checked(action, name, value) for name, value in told.options}
    for option in action.options:
        if option.name not in options:
            raise BadPipeline(f"{action.name} has a new option, {option.name!r}")
    for rule in action.option_rules:
        if problem := rule(options):
            raise BadPipeline(f"{action.name}: {problem}")
    return Step.of(action, options)


def _checked(action: Action, name: str, value: object) -> object:
    option = action.option(name)
    if option is None:
        hint = suggest(name, [option.name for option in action.options])
        raise BadPipeline(f"{action.name}: no option is called {name!r}; {hint}")
    try:
        return checked_value(option.annotation, value)
    except ValueError as error:
        raise BadPipeline(f"{action.name}: {name}: {error}") from error


# What has become of a receipt's pipeline since: worth a note, and no difference.


def pipeline_changes(receipt: Receipt) -> tuple[str, ...]:
    """By the names of shipped pipelines alone: a receipt is data, and names no file to read."""
    if receipt.pipeline not in shipped():
        return ()
    today = load(receipt.pipeline)
    steps = (today.starting_from(Seeds) if receipt.seeds else today).steps
    told = [_without_budget(step.action, dict(step.options)) for step in receipt.before_answer]
    if told == [_without_budget(step.action.name, step.options) for step in steps[: len(told)]]:
        return ()
    return (f"the pipeline {receipt.pipeline} has other steps or options today than were recorded",)


def answer_today(receipt: Receipt) -> tuple[str, ...]:
    """The answer's step is not done again; whether it could be is told."""
    try:
        for told in receipt.steps[len(receipt.before_answer) :]:
            step_from_receipt(told, frozenset({Context}))
    except BadPipeline as error:
        return (f"the answer could not be asked for as it was recorded: {error}",)
    return ()


def _without_budget(action: str, options: Mapping[str, Any]) -> tuple[str, Any]:
    """The budget of tokens is the asker's, and fitted to the windows of their models."""
    budget = "max_tokens" if action == "assemble_context" else None
    return action, plain({name: value for name, value in options.items() if name != budget})


GONE = "not everything that this receipt names can be seen"
ANSWER = "the answer was not asked for again: a model need not say the same twice"


def replay(
    receipt: Receipt, principal: Principal, again: Callable[[Pipeline], Retrieval]
) -> ReplayResult:
    """`again` asks once more, of the receipt's snapshots and with the reader's present rights.

    It raises NotVisible where anything that the receipt names cannot be seen. Nobody is told
    what that is, or why: revoked, deleted, pruned and never visible read the same.
    """
    found = _difference_or_again(receipt, principal, again)
    notes = pipeline_changes(receipt)
    steps = len(receipt.before_answer)
    if isinstance(found, ReplayDifference):
        return ReplayResult(steps, None, found, notes)
    if receipt.rights != rights_digest(principal):
        notes += ("your rights are not those that this receipt was made with",)
    if receipt.answer:
        notes += (ANSWER, *answer_today(receipt))
    return ReplayResult(steps, found, None, notes)


def node_ids_in(plan: RetrievalPlan) -> tuple[str, ...]:
    """Every node that a plan names: planned, left out, or at an end of an edge."""
    ends = (end for e in plan.expanded_documents for end in (e.sender, e.target))
    cut = (one.document_id for one in plan.cut)
    return tuple(dict.fromkeys((*plan.order, *ends, *cut, *plan.constraints.selection.dropped)))


def require_same_embedding(receipt: Receipt, question: Question) -> Question:
    """The question as it is embedded now, if that is how it was embedded then."""
    was, now = receipt.embedder, question.embedder
    if was != now:
        raise WrongEmbedder(
            f"then it was {was.name} ({was.digest[:12]}), now it is {now.name} ({now.digest[:12]})"
        )
    if question != receipt.asked:
        raise WrongEmbedder(f"{now.name} gives another vector for this question than it did then")
    return question


def _difference_or_again(
    receipt: Receipt, principal: Principal, again: Callable[[Pipeline], Retrieval]
) -> ReplayDifference | Retrieval:
    steps = _recorded(receipt)
    if isinstance(steps, ReplayDifference):
        return steps
    first = receipt.steps[0].action
    try:
        found = again(Pipeline(receipt.pipeline, steps))
    except NotVisible:
        return ReplayDifference(1, first, "no longer available", GONE)
    except WrongEmbedder as error:
        return ReplayDifference(1, first, "embedder", str(error))
    except (BadInput, BadPipeline) as error:
        return ReplayDifference(1, first, "pipeline", _cannot(error))
    return _first_difference(receipt, principal, found) or found


def _recorded(receipt: Receipt) -> tuple[Step, ...] | ReplayDifference:
    """An edited receipt is refused: that it replays would prove nothing."""
    if receipt.steps and not is_pipelines_own(receipt):
        why = "the recorded digest of the pipeline is not that of its steps"
        return ReplayDifference(1, receipt.steps[0].action, "pipeline", why)
    if problems := problems_of(receipt):
        raise BadInput(f"this receipt is not consistent: {problems[0]}")
    steps: list[Step] = []
    made: frozenset[type] = frozenset({Seeds}) if receipt.seeds else frozenset()
    for place, told in enumerate(receipt.before_answer, start=1):
        try:
            step = step_from_receipt(told, made)
        except BadPipeline as error:
            return ReplayDifference(place, told.action, "pipeline", _cannot(error))
        steps.append(step)
        made |= {step.action.makes}
    return tuple(steps)


def _cannot(error: Exception) -> str:
    return f"the pipeline cannot be run any more: {error}"


def _first_difference(
    receipt: Receipt, principal: Principal, found: Retrieval
) -> ReplayDifference | None:
    rows = zip(receipt.before_answer, found.run.trace.steps, strict=True)
    for place, (told, row) in enumerate(rows, start=1):
        same = (told.inputs, told.output) == (row.inputs, row.output)
        if not same or _counted_otherwise(receipt, found, told):
            return ReplayDifference(
                place, told.action, *_what_changed(receipt, principal, found, told)
            )
    return None


def _counted_otherwise(receipt: Receipt, found: Retrieval, step: ReceiptStep) -> bool:
    made = step.output[0] == Context.__name__ and Context in found.run.values
    return made and found.context.tokenizer != receipt.tokenizer


def _what_changed(
    receipt: Receipt, principal: Principal, found: Retrieval, step: ReceiptStep
) -> tuple[Changed, str]:
    if receipt.reranker != reranker_of(found.plan):
        return "pipeline", f"the reranker was {receipt.reranker}, it is {reranker_of(found.plan)}"
    if _counted_otherwise(receipt, found, step):
        now = found.context.tokenizer
        return "pipeline", f"tokens were counted by {receipt.tokenizer}, not {now}"
    if receipt.rights != rights_digest(principal):
        return "rights", "your rights are not those that this receipt was made with"
    return "content", "what you see there is not what was seen then"
