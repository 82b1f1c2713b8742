"""Receipts: the request, its steps and the digests of everything that they made."""

import json
from dataclasses import dataclass, replace
from typing import Literal

from docgraph.model.access import Principal, credential_kind
from docgraph.model.answer import Answer
from docgraph.model.context import Context
from docgraph.model.digest import digest, plain
from docgraph.model.errors import BadInput
from docgraph.model.plan import RetrievalPlan
from docgraph.model.question import EmbedderIdentity, Question
from docgraph.model.snapshot import SnapshotName
from docgraph.pipeline.retrieval import Retrieval, check_format, parse_strictly
from docgraph.pipeline.run import OptionValue, artifact_name

Format = Literal["docgraph.receipt/2"]
FORMAT: Format = "docgraph.receipt/2"


@dataclass(frozen=True, slots=True)
class ReceiptStep:
    """All options of the action, defaults included; inputs and output by artifact and digest."""

    action: str
    options: tuple[OptionValue, ...]
    inputs: tuple[tuple[str, str], ...]
    output: tuple[str, str]


@dataclass(frozen=True, slots=True)
class AnswerReceipt:
    """Without a model only the digest is set."""

    digest: str
    model: str
    prompt: str
    prompt_digest: str
    sampling: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """Without times and without hidden content, so the same question gives the same bytes.

    `seeds` are ids given instead of a search. `principal` and `rights` are digests of the
    reader's identity and of their rights to read. Only the numbers of snapshots can change through
    documents that the reader does not see.
    """

    format: Format
    question: str
    seeds: tuple[str, ...]
    principal: str
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
    def embedded_question(self) -> Question:
        return Question(self.question, self.plan.query_vector, self.embedder)

    @property
    def before_answer(self) -> tuple[ReceiptStep, ...]:
        """The steps that are deterministic; a model's answer is not."""
        made, answer = [step.output[0] for step in self.steps], artifact_name(Answer)
        return self.steps[: made.index(answer)] if answer in made else self.steps

    def with_digest(self) -> "Receipt":
        return replace(self, digest=digest({**plain(self), "digest": None}))

    def to_json(self) -> str:
        return json.dumps(plain(self), indent=2, ensure_ascii=False, sort_keys=True) + "\n"


def receipt_of(retrieval: Retrieval) -> Receipt:
    run, request = retrieval.run, retrieval.request
    question, plan, trace = run.get(Question), retrieval.plan, run.trace
    context, answer = (run.values.get(kind) for kind in (Context, Answer))
    return Receipt(
        format=FORMAT,
        question=question.text,
        seeds=request.seeds,
        principal=_principal_digest(request.reader),
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
        answer=_answer_receipt(answer) if answer else None,
        digest="",
    ).with_digest()


def _principal_digest(principal: Principal) -> str:
    """Of the person and the kind of credential, so that it survives a new key."""
    by = credential_kind(principal.by)
    return digest({"id": principal.id, "tenant": principal.tenant, "by": by})


def rights_digest(principal: Principal) -> str:
    """Of groups, labels and clearance, which decide what may be read; not of other rights."""
    rights = {"groups": principal.groups, "labels": principal.labels}
    return digest({**rights, "clearance": principal.clearance})


def reranker_of(plan: RetrievalPlan) -> str | None:
    name = dict(plan.constraints.search).get("rerank")
    return name if isinstance(name, str) else None


def _answer_receipt(answer: Answer) -> AnswerReceipt:
    call = answer.generation
    if call is None:
        return AnswerReceipt(answer.digest, "", "", "", "")
    options = {"temperature": call.temperature, "seed": call.seed}
    sampling = ", ".join(f"{name} {value}" for name, value in options.items() if value is not None)
    return AnswerReceipt(answer.digest, call.model, call.prompt, call.prompt_digest, sampling)


def receipt_from_json(text: str | bytes) -> Receipt:
    """Does not check its consistency; `find_receipt_problems` does."""
    check_format(text, FORMAT, "receipt", "ask the question again for a new receipt", BadInput)
    return parse_strictly(Receipt, text, "receipt", BadInput)
