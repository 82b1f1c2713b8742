"""A receipt: the request, its steps, and digests of everything they made."""

import json
from dataclasses import dataclass, replace

from docgraph.model.access import Principal, credential_kind
from docgraph.model.answer import Answer
from docgraph.model.context import Context
from docgraph.model.digest import digest, plain
from docgraph.model.errors import BadInput
from docgraph.model.plan import RetrievalPlan
from docgraph.model.question import EmbedderIdentity, Question
from docgraph.model.snapshot import SnapshotName
from docgraph.pipeline.retrieval import Retrieval, read_strictly
from docgraph.pipeline.run import OptionValue

FORMAT = "docgraph.receipt/1"


@dataclass(frozen=True, slots=True)
class ReceiptStep:
    """Every option of the action, defaults included; what it read and made, by type and digest."""

    action: str
    options: tuple[OptionValue, ...]
    inputs: tuple[tuple[str, str], ...]
    output: tuple[str, str]


@dataclass(frozen=True, slots=True)
class AnswerReceipt:
    """Without a model, only the digest is filled."""

    digest: str
    model: str
    prompt: str
    prompt_digest: str
    sampling: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """No times, and nothing that the reader may not see: the same request gives the same bytes.

    `seeds` are the ids that were given in place of search. `asker` and `rights` are digests: the
    one of who asked, the other of what lets them read. Snapshots' numbers are the one thing in it
    that a hidden change can move.
    """

    format: str
    question: str
    seeds: tuple[str, ...]
    asker: str
    rights: str
    snapshots: tuple[SnapshotName, ...]
    pipeline: str
    pipeline_digest: str
    steps: tuple[ReceiptStep, ...]
    embedder: EmbedderIdentity
    reranker: str | None
    tokenizer: str | None
    plan: RetrievalPlan
    plan_digest: str
    context_digest: str | None
    answer: AnswerReceipt | None
    digest: str

    @property
    def asked(self) -> Question:
        return Question(self.question, self.plan.query_vector, self.embedder)

    @property
    def before_answer(self) -> tuple[ReceiptStep, ...]:
        """The deterministic steps; a model's answer may differ."""
        made = [kind for kind, _ in (step.output for step in self.steps)]
        return self.steps[: made.index(Answer.__name__)] if Answer.__name__ in made else self.steps

    def sealed(self) -> "Receipt":
        return replace(self, digest=digest({**plain(self), "digest": None}))

    def to_json(self) -> str:
        return json.dumps(plain(self), indent=2, ensure_ascii=False, sort_keys=True) + "\n"


def receipt_of(retrieval: Retrieval) -> Receipt:
    """Seeds as the request named them."""
    run, request = retrieval.run, retrieval.request
    question, plan, trace = run.get(Question), retrieval.plan, run.trace
    context, answer = (run.values.get(kind) for kind in (Context, Answer))
    return Receipt(
        format=FORMAT,
        question=question.text,
        seeds=request.seeds,
        asker=_asker_digest(request.reader),
        rights=rights_digest(request.reader),
        snapshots=retrieval.scope.snapshots,
        pipeline=trace.pipeline,
        pipeline_digest=trace.pipeline_digest,
        steps=tuple(
            ReceiptStep(step.action, step.options, step.inputs, step.output) for step in trace.steps
        ),
        embedder=question.embedder,
        reranker=reranker_of(plan),
        tokenizer=context.tokenizer if context else None,
        plan=plan,
        plan_digest=plan.digest,
        context_digest=context.digest if context else None,
        answer=_answered(answer) if answer else None,
        digest="",
    ).sealed()


def _asker_digest(principal: Principal) -> str:
    """Of the person and the kind of credential: a new key changes nothing."""
    by = credential_kind(principal.by)
    return digest({"id": principal.id, "tenant": principal.tenant, "by": by})


def rights_digest(principal: Principal) -> str:
    """Of what decides which documents they read, and of no other right."""
    held = {"groups": principal.groups, "labels": principal.labels}
    return digest({**held, "clearance": principal.clearance})


def reranker_of(plan: RetrievalPlan) -> str | None:
    name = dict(plan.constraints.search).get("rerank")
    return name if isinstance(name, str) else None


def _answered(answer: Answer) -> AnswerReceipt:
    asking = answer.asking
    if asking is None:
        return AnswerReceipt(answer.digest, "", "", "", "")
    sampling = {"temperature": asking.temperature, "seed": asking.seed}
    settings = ", ".join(f"{name} {value}" for name, value in sampling.items() if value is not None)
    return AnswerReceipt(answer.digest, asking.model, asking.prompt, asking.prompt_digest, settings)


def receipt_from_json(text: str | bytes) -> Receipt:
    """Its consistency is checked by `receipt_check`."""
    receipt = read_strictly(Receipt, text, "receipt", BadInput)
    if receipt.format != FORMAT:
        raise BadInput(f"receipt format {receipt.format!r}; this docgraph reads {FORMAT!r}")
    return receipt
