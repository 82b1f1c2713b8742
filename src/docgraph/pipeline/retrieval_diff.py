"""Two retrievals as the two sides of a difference, or two receipts of them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from docgraph.model.access import Principal
from docgraph.model.diff import ON, RetrievalSummary
from docgraph.model.digest import digest, plain
from docgraph.model.edge import Edge
from docgraph.model.plan import RetrievalPlan
from docgraph.model.question import EmbedderIdentity
from docgraph.model.snapshot import SnapshotName
from docgraph.pipeline.receipt import Receipt
from docgraph.pipeline.retrieval import Retrieval


def side_of(found: Retrieval, principal: Principal) -> RetrievalSummary:
    """The page is compared as it reads: on what grounds each may read it stands beside it."""
    context, plan = found.context, found.plan
    held = {
        "asker": principal.id,
        "groups": _listed(principal.groups),
        "labels": _listed(principal.labels),
        "clearance": str(principal.clearance),
    }
    steps = [(step.action.name, step.options) for step in found.run.pipeline.steps]
    told = _settings(found.scope.snapshots, found.run.pipeline.name, steps, plan.embedder)
    passages = [item for item in context.items if item.number]
    return RetrievalSummary(
        asked={**held, **dict(told)},
        documents=frozenset(plan.documents),
        edges=_edges(plan),
        page=digest(context.text),
        evidence={item.id: digest(item.text) for item in passages},
        tokens={share.document: share.tokens for share in context.documents},
        tokens_in_all=context.tokens,
    )


def side_of_receipt(receipt: Receipt) -> RetrievalSummary:
    """What a receipt tells: who may speak, and a digest of what came of it."""
    steps = [(step.action, dict(step.options)) for step in receipt.steps]
    told = _settings(receipt.snapshots, receipt.pipeline, steps, receipt.embedder)
    held = {
        "question": receipt.question,
        "seeds": _listed(receipt.seeds),
        "asker": receipt.asker,
        "rights": receipt.rights,
    }
    return RetrievalSummary(
        asked={**held, **dict(told)},
        documents=frozenset(receipt.plan.documents),
        edges=_edges(receipt.plan),
        page=receipt.context_digest,
    )


def _edges(plan: RetrievalPlan) -> frozenset[Edge]:
    """The edges that let documents in."""
    return frozenset(Edge(one.sender, one.via, one.target) for one in plan.expanded_documents)


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
        yield from ((f"{action}.{name}", _written(value)) for name, value in options.items())
    yield "embedder", f"{embedder.name} {embedder.digest}"


def _listed(names: frozenset[str] | tuple[str, ...]) -> str:
    return " ".join(sorted(names)) or "none"


def _written(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(plain(value), ensure_ascii=False)
