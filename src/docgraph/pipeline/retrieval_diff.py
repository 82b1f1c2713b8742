"""Summaries of retrievals and of receipts, as `model.diff` compares them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from docgraph.model.diff import ON, RetrievalSummary
from docgraph.model.digest import digest, plain
from docgraph.model.edge import Edge
from docgraph.model.plan import RetrievalPlan
from docgraph.model.question import EmbedderIdentity
from docgraph.model.snapshot import SnapshotName
from docgraph.pipeline.receipt import Receipt
from docgraph.pipeline.retrieval import Retrieval


def summarise_retrieval(retrieval: Retrieval) -> RetrievalSummary:
    """The context is compared by its text alone, without the reasons for access."""
    context, plan, pipeline = retrieval.context, retrieval.plan, retrieval.run.pipeline
    principal = retrieval.request.reader
    rights = {
        "principal": principal.id,
        "groups": _join_names(principal.groups),
        "labels": _join_names(principal.labels),
        "clearance": str(principal.clearance),
    }
    steps = [(step.action.name, step.options) for step in pipeline.steps]
    settings = _settings(retrieval.scope.snapshots, pipeline.name, steps, plan.embedder)
    return RetrievalSummary(
        settings={**rights, **dict(settings)},
        documents=frozenset(plan.documents),
        edges=_edges(plan),
        context=digest(context.text),
        evidence={item.id: digest(item.text) for item in context.chunks},
        tokens={one.document_id: one.tokens for one in context.documents},
        total_tokens=context.tokens,
    )


def summarise_receipt(receipt: Receipt) -> RetrievalSummary:
    """A receipt has the plan and the context's digest, but no evidence and no token shares."""
    steps = [(step.action, dict(step.options)) for step in receipt.steps]
    settings = _settings(receipt.snapshots, receipt.pipeline, steps, receipt.embedder)
    request = {
        "question": receipt.question,
        "seeds": _join_names(receipt.seeds),
        "principal": receipt.principal,
        "rights": receipt.rights,
    }
    return RetrievalSummary(
        settings={**request, **dict(settings)},
        documents=frozenset(receipt.plan.documents),
        edges=_edges(receipt.plan),
        context=receipt.context_digest,
    )


def _edges(plan: RetrievalPlan) -> frozenset[Edge]:
    """The edges by which documents were admitted."""
    return frozenset(Edge(one.source, one.via, one.target) for one in plan.expanded_documents)


def _settings(
    snapshots: tuple[SnapshotName, ...],
    pipeline: str,
    steps: Sequence[tuple[str, Mapping[str, Any]]],
    embedder: EmbedderIdentity,
) -> Iterator[tuple[str, str]]:
    yield from (
        (f"snapshot of {one.repository}", f"{one.branch} {one.snapshot}") for one in snapshots
    )
    yield "pipeline", pipeline
    for action, options in steps:
        yield action, ON
        yield from ((f"{action}.{name}", _as_text(value)) for name, value in options.items())
    yield "embedder", f"{embedder.name} {embedder.digest}"


def _join_names(names: frozenset[str] | tuple[str, ...]) -> str:
    return " ".join(sorted(names)) or "none"


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(plain(value), ensure_ascii=False)
