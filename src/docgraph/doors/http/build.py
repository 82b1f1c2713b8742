"""Building the house: everything that the door needs, out of the settings."""

import os
import secrets
import uuid
from collections.abc import Callable
from datetime import UTC, datetime

from docgraph.doors.http.house import House
from docgraph.doors.http.metrics import Metrics
from docgraph.doors.http.named_pipelines import NamedPipelines
from docgraph.doors.http.roots import Roots
from docgraph.doors.http.runner import Runner
from docgraph.doors.http.taking_in import TakingIn
from docgraph.doors.login.build import build_asked_before, build_login
from docgraph.doors.workers import Workers
from docgraph.ports.embedder import Embedder
from docgraph.requested import RequestedIngestions
from docgraph.wiring.build import build_engine, open_audit, open_ingestions
from docgraph.wiring.models import early_embedder
from docgraph.wiring.settings import Settings


def build_house(settings: Settings, embedder: Callable[[], Embedder] | None = None) -> House:
    """Nothing listens yet. Models may be on their way."""
    serve = settings.serve
    embedder = embedder or early_embedder(settings)
    engine, book, metrics = build_engine(settings, embedder), open_ingestions(settings), Metrics()
    roots = Roots(serve.roots, only_tenant=settings.login.only_tenant)
    requested = RequestedIngestions(
        book, engine.store, open_audit(settings), now=_now, new_id=lambda: uuid.uuid4().hex
    )
    runner = Runner(
        book,
        TakingIn(engine, requested, roots, build_asked_before(settings)),
        owner=f"{os.getpid()}-{secrets.token_hex(8)}",
        ended=metrics.ingested,
        lease=serve.lease,
        longest=serve.ingestion_time,
    )
    return House(
        engine=engine,
        login=build_login(settings),
        ingestions=requested,
        runner=runner if roots else None,
        settings=serve,
        pipelines=NamedPipelines(serve),
        roots=roots,
        questions=Workers("questions", serve.concurrency or _cores(), serve.queue),
        answers=Workers("answers", serve.answers, serve.queue),
        metrics=metrics,
        load=lambda: _load_embedder(embedder),
    )


def _cores() -> int:
    """That this process may use; two at least, so that nobody's long question holds up all."""
    mine = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else ()
    return max(2, len(mine) or os.cpu_count() or 1)


def _load_embedder(embedder: Callable[[], Embedder]) -> None:
    """A first text is what makes the rest of a model load."""
    embedder().embed(["ready"])


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
