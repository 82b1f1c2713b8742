"""Engines on a given store, with stand-ins for models and memory for everything else."""

import time
from collections.abc import Callable
from typing import Any, cast

from docgraph.engine import Engine
from docgraph.engine.administration import Administration
from docgraph.engine.audit_trail import AuditTrail
from docgraph.engine.content import ContentService
from docgraph.engine.ingest_jobs import IngestJobService
from docgraph.engine.questions import QuestionService
from docgraph.model.access import Clearance
from docgraph.model.context import TokenCounter
from docgraph.model.ingest_job import IngestJob, JobOwner
from docgraph.ports.audit import AuditLog
from docgraph.ports.models import ChatModel, Embedder, RerankModel
from docgraph.ports.store import Store
from docgraph.ports.tracer import NO_TRACER, Tracer
from docgraph.testing.small_store import HashedWords
from tests.support.fakes import WordCounter
from tests.support.memory_audit import MemoryAudit
from tests.support.memory_keys import MemoryKeys


class EmptyQueue:
    """A queue of ingest jobs that stays empty."""

    def add(self, ingestion: IngestJob) -> None: ...

    def get(self, tenant: str, ingestion_id: str) -> IngestJob | None:
        return None

    def list_jobs(self, asker: JobOwner, last: int) -> tuple[IngestJob, ...]:
        return ()

    def pending(self, asker: JobOwner) -> int:
        return 0

    def claim(self, owner: str, lease: float) -> IngestJob | None:
        return None

    def renew(self, ingestion_id: str, owner: str, lease: float, progress: str) -> bool:
        return False

    def finish(self, ingestion_id: str, owner: str, *, result: str = "", error: str = "") -> bool:
        return False

    def release(self, ingestion_id: str, owner: str, *, counted: bool = False) -> bool:
        return False


def make_engine(
    store: Store,
    audit: AuditLog | None = None,
    *,
    embedder: Callable[[], Embedder] = HashedWords,
    tokens: Callable[[], TokenCounter] = WordCounter,
    rerank_model: Callable[[], RerankModel | None] = lambda: None,
    chat_models: Callable[[], tuple[ChatModel, ...]] = tuple,
    clock: Callable[[], float] = time.perf_counter,
    tracer: Tracer = NO_TRACER,
    embedder_clearance: Clearance | None = None,
) -> Engine:
    trail = AuditTrail(audit or MemoryAudit(), tracer)
    return Engine(
        QuestionService(store, trail, embedder, tokens, rerank_model, clock, chat_models),
        ContentService(store, trail, embedder, embedder_clearance),
        Administration(store, trail.log, MemoryKeys()),
        IngestJobService(EmptyQueue(), store, trail.log, lambda: "now", lambda: "0"),
    )


def engine_answering(questions: object) -> Engine:
    """Questions go to a stand-in; there is no other service."""
    absent: Any = None
    return Engine(cast(QuestionService, questions), absent, absent, absent)
