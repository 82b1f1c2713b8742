"""Bodies of responses: the same shapes that the command line prints with --json."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from docgraph.model.answer import Answer
from docgraph.model.context import Context, Omission, Reasons
from docgraph.model.digest import plain
from docgraph.model.edge import Relationship
from docgraph.model.embedding_state import StateName
from docgraph.model.node import Location
from docgraph.model.plan import Cut, RetrievalPlan
from docgraph.model.question import EmbedderIdentity
from docgraph.model.seeds import Seeds, Selection
from docgraph.model.snapshot import SnapshotInfo, SnapshotName
from docgraph.model.source_state import SourceState
from docgraph.pipeline.receipt import Receipt
from docgraph.pipeline.replay import ReplayDifference
from docgraph.pipeline.retrieval import SavedPlan
from docgraph.pipeline.run import Trace


@dataclass(frozen=True, slots=True)
class SearchResponse:
    """Ids and scores, never text."""

    seeds: Seeds
    scope: tuple[SnapshotName, ...]
    embeddings: str
    source_states: tuple[SourceState, ...]


@dataclass(frozen=True, slots=True)
class PlanResponse:
    """A plan with its receipt; `/v1/plans/execute` takes both."""

    plan: SavedPlan
    receipt: Receipt


@dataclass(frozen=True, slots=True)
class RetrieveResponse:
    context: Context
    digest: str
    plan_digest: str
    scope: tuple[SnapshotName, ...]
    receipt: Receipt | None
    embeddings: str
    source_states: tuple[SourceState, ...]


@dataclass(frozen=True, slots=True)
class ExecutePlanResponse:
    """`edited`: the plan is not as it was saved."""

    context: Context
    digest: str
    edited: bool
    embeddings: str


@dataclass(frozen=True, slots=True)
class AnswerResponse:
    answer: Answer
    embeddings: str
    digest: str
    context_digest: str
    plan_digest: str
    scope: tuple[SnapshotName, ...]
    receipt: Receipt | None
    source_states: tuple[SourceState, ...]


@dataclass(frozen=True, slots=True)
class ExplainResponseItem:
    id: str
    layer: str
    number: int
    why: Reasons
    at: Location


@dataclass(frozen=True, slots=True)
class ExplainResponse:
    """Why each item is there, what was left out, and what each step did."""

    question: str
    items: tuple[ExplainResponseItem, ...]
    omitted: tuple[Omission, ...]
    cut: tuple[Cut, ...]
    selection: Selection
    reason: str
    trace: Trace


@dataclass(frozen=True, slots=True)
class ReplayResponse:
    """The same once more, or the first step that differs."""

    same: bool
    difference: ReplayDifference | None
    notes: tuple[str, ...]
    steps: int
    plan: RetrievalPlan | None
    context: Context | None


@dataclass(frozen=True, slots=True)
class ReceiptCheckResponse:
    """Whether a receipt is consistent in itself; no store was asked."""

    consistent: bool
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RelationsResponse:
    """`next` is the offset of what comes behind these, if there is more."""

    relations: tuple[Relationship, ...]
    total: int
    next: int | None


@dataclass(frozen=True, slots=True)
class SnapshotsResponse:
    snapshots: tuple[SnapshotInfo, ...]


@dataclass(frozen=True, slots=True)
class RunningIngestResponse:
    """Which process of which machine it is, is the operator's to know."""

    since: str


@dataclass(frozen=True, slots=True)
class EmbeddingStateResponse:
    """`state` is none, partial or complete. Of documents, `summarized` counts those with a vector
    of their summary at least, `embedded` those with all vectors."""

    state: StateName
    documents: int
    summarized: int
    embedded: int
    chunks: int
    embedded_chunks: int


@dataclass(frozen=True, slots=True)
class StatusResponse:
    """What you can ask, and how far it is embedded. `ingests` run in your tenant, `source_states`
    say whether sources have moved on; without the right `ingest` there are none."""

    scope: tuple[SnapshotName, ...]
    counts: Mapping[str, int]
    embedder: EmbedderIdentity | None
    embeddings: EmbeddingStateResponse
    ingests: tuple[RunningIngestResponse, ...]
    source_states: tuple[SourceState, ...]


@dataclass(frozen=True, slots=True)
class SnapshotResponse:
    """The snapshot that a change was published as."""

    snapshot: SnapshotName


@dataclass(frozen=True, slots=True)
class HealthResponse:
    status: str


# JSON as the command line prints it with --json, in one line.


def as_json(value: object) -> bytes:
    text = json.dumps(plain(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode()
