"""Replaying a receipt: the same steps once more, held against what was recorded of them."""

from collections.abc import Callable

from docgraph.model.access import Principal
from docgraph.model.context import Context
from docgraph.model.errors import BadInput, BadPipeline, NotVisible, WrongEmbedder
from docgraph.model.plan import RetrievalPlan
from docgraph.model.question import Question
from docgraph.model.seeds import Seeds
from docgraph.pipeline.pipeline import Pipeline, Step
from docgraph.pipeline.pipeline_today import answer_today, pipeline_today
from docgraph.pipeline.receipt import Receipt, ReceiptStep, reranker_of, rights_digest
from docgraph.pipeline.receipt_problems import is_pipelines_own, problems_of
from docgraph.pipeline.recorded import recorded_step
from docgraph.pipeline.replayed import Changed, Difference, Replayed
from docgraph.pipeline.retrieval import Retrieval

GONE = "not everything that this receipt names can be seen"
ANSWER = "the answer was not asked for again: a model need not say the same twice"


def replay(
    receipt: Receipt, principal: Principal, again: Callable[[Pipeline], Retrieval]
) -> Replayed:
    """`again` asks once more, of the receipt's snapshots and with the reader's present rights.

    It raises NotVisible where anything that the receipt names cannot be seen. Nobody is told
    what that is, or why: revoked, deleted, pruned and never visible read the same.
    """
    found = _difference_or_again(receipt, principal, again)
    notes = pipeline_today(receipt)
    steps = len(receipt.before_answer)
    if isinstance(found, Difference):
        return Replayed(steps, None, found, notes)
    if receipt.rights != rights_digest(principal):
        notes += ("your rights are not those that this receipt was made with",)
    if receipt.answer:
        notes += (ANSWER, *answer_today(receipt))
    return Replayed(steps, found, None, notes)


def named_in(plan: RetrievalPlan) -> tuple[str, ...]:
    """Every node that a plan names: planned, left out, or at an end of an edge."""
    ends = (end for e in plan.expanded_documents for end in (e.sender, e.target))
    cut = (one.document_id for one in plan.cut)
    return tuple(dict.fromkeys((*plan.order, *ends, *cut, *plan.constraints.selection.dropped)))


def asked_alike(receipt: Receipt, question: Question) -> Question:
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
) -> Difference | Retrieval:
    steps = _recorded(receipt)
    if isinstance(steps, Difference):
        return steps
    first = receipt.steps[0].action
    try:
        found = again(Pipeline(receipt.pipeline, steps))
    except NotVisible:
        return Difference(1, first, "no longer available", GONE)
    except WrongEmbedder as error:
        return Difference(1, first, "embedder", str(error))
    except (BadInput, BadPipeline) as error:
        return Difference(1, first, "pipeline", _cannot(error))
    return _first_difference(receipt, principal, found) or found


def _recorded(receipt: Receipt) -> tuple[Step, ...] | Difference:
    """An edited receipt is refused: that it replays would prove nothing."""
    if receipt.steps and not is_pipelines_own(receipt):
        why = "the recorded digest of the pipeline is not that of its steps"
        return Difference(1, receipt.steps[0].action, "pipeline", why)
    if problems := problems_of(receipt):
        raise BadInput(f"this receipt is not consistent: {problems[0]}")
    steps: list[Step] = []
    made: frozenset[type] = frozenset({Seeds}) if receipt.seeds else frozenset()
    for place, told in enumerate(receipt.before_answer, start=1):
        try:
            step = recorded_step(told, made)
        except BadPipeline as error:
            return Difference(place, told.action, "pipeline", _cannot(error))
        steps.append(step)
        made |= {step.action.makes}
    return tuple(steps)


def _cannot(error: Exception) -> str:
    return f"the pipeline cannot be run any more: {error}"


def _first_difference(
    receipt: Receipt, principal: Principal, found: Retrieval
) -> Difference | None:
    rows = zip(receipt.before_answer, found.run.trace.steps, strict=True)
    for place, (told, row) in enumerate(rows, start=1):
        same = (told.inputs, told.output) == (row.inputs, row.output)
        if not same or _counted_otherwise(receipt, found, told):
            return Difference(place, told.action, *_what_changed(receipt, principal, found, told))
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
