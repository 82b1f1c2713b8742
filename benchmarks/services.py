"""The two services that benchmarks call, on a given store and embedder."""

import time
from dataclasses import dataclass
from functools import cache

from docgraph.engine.audit_trail import AuditTrail
from docgraph.engine.content import ContentService
from docgraph.engine.questions import QuestionService
from docgraph.ports.audit import AuditLog
from docgraph.ports.models import Embedder
from docgraph.ports.store import Store
from docgraph.wiring.models import open_tokens


@dataclass(frozen=True, slots=True)
class Services:
    questions: QuestionService
    content: ContentService


def make_services(store: Store, audit: AuditLog, embedder: Embedder) -> Services:
    trail = AuditTrail(audit)
    return Services(
        QuestionService(
            store, trail, lambda: embedder, cache(open_tokens), lambda: None, time.perf_counter
        ),
        ContentService(store, trail, lambda: embedder),
    )
