"""The server's state: what every request may need, built once at the start."""

import asyncio
import logging
import os
import secrets
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from starlette.requests import Request

from docgraph.engine.background_embedding import BackgroundEmbedding
from docgraph.interfaces.auth.authentication import (
    build_authentication,
    build_resumed_authentication,
)
from docgraph.interfaces.auth.principals import owner_of
from docgraph.interfaces.http.jobs.job_handler import IngestJobHandler, IngestRoots
from docgraph.interfaces.http.jobs.job_runner import JobRunner
from docgraph.interfaces.http.server.middleware import Metrics
from docgraph.interfaces.http.server.watching import build_watcher
from docgraph.interfaces.inputs import NamedPipelines
from docgraph.interfaces.server.worker_pool import WorkerPool
from docgraph.interfaces.watch.watcher import Watcher
from docgraph.model.snapshot import SnapshotName
from docgraph.ports.models import Embedder
from docgraph.ports.source_states import BranchKey
from docgraph.ports.tracer import Tracer
from docgraph.wiring.build import build_engine, open_tracer
from docgraph.wiring.models import preload_embedder
from docgraph.wiring.plugins import check_plugins
from docgraph.wiring.server_settings import ServeSettings
from docgraph.wiring.settings import Settings, for_server

if TYPE_CHECKING:
    from docgraph.engine import Engine
    from docgraph.interfaces.auth.authentication import Authentication
    from docgraph.interfaces.http.jobs.job_runner import JobRunner


WRITERS = 4  # changes of one user at once; each may wait for the store's lock
LAST_STEP = 2.0  # seconds for work that nobody waits for any more


@dataclass(frozen=True, slots=True)
class WorkerRole:
    """Which of a server's processes this is, and a folder that all of them share.

    Number 0 alone runs ingest jobs, watches and embeds.
    """

    number: int
    metrics_folder: str


@dataclass(slots=True)
class ServerState:
    """Loading, then ready, then draining until a time of `time.monotonic`."""

    ready: bool = False
    ends: float | None = None

    @property
    def draining(self) -> bool:
        return self.ends is not None


@dataclass(frozen=True, slots=True)
class AppState:
    """`load` loads the models; until it has returned, the server is not ready."""

    engine: "Engine"
    login: "Authentication"
    tracer: Tracer
    runner: "JobRunner | None"
    settings: ServeSettings
    pipelines: NamedPipelines
    roots: IngestRoots
    questions: WorkerPool
    answers: WorkerPool
    writes: WorkerPool
    metrics: Metrics
    load: Callable[[], None]
    embedding: BackgroundEmbedding
    watcher: Watcher | None = None
    embeds: bool = True
    server_state: ServerState = field(default_factory=ServerState)

    def drain(self) -> None:
        """From now on it is not ready, starts no further ingest job, watches and embeds nothing."""
        if self.server_state.ends is None:
            self.server_state.ends = time.monotonic() + self.settings.drain
        if self.runner is not None:
            self.runner.stop_claiming()
        if self.watcher is not None:
            self.watcher.begin_stop()
        self.embedding.begin_stop()

    def close(self) -> None:
        """Waits no longer than is left of the time to drain."""
        self.drain()
        assert self.server_state.ends is not None
        left = max(0.0, self.server_state.ends - time.monotonic())
        if self.runner is not None:
            self.runner.stop(left)
        if self.watcher is not None:
            self.watcher.stop(min(left, LAST_STEP))
        self.embedding.stop(min(left, LAST_STEP))
        for workers in (self.questions, self.answers, self.writes):
            workers.close(min(left, LAST_STEP))

    def check_store(self) -> None:
        """Raises where it does not."""
        self.engine.administration.check_store()


def app_state_of(request: Request) -> AppState:
    state: AppState = request.app.state.docgraph
    return state


# Building the state from the settings.


def build_app_state(
    settings: Settings,
    embedder: Callable[[], Embedder] | None = None,
    role: WorkerRole | None = None,
) -> AppState:
    """Nothing listens yet. Models may be loading already. A plug-in that fails ends the start.

    Without a `role` this process is the whole server.
    """
    settings = for_server(settings)
    check_plugins(settings.plugins)
    serve = settings.serve
    is_first = role is None or role.number == 0
    embedder = embedder or preload_embedder(settings)
    metrics = Metrics(None if role is None else role.metrics_folder)
    engine = build_engine(settings, embedder, is_server=True)
    embedding = BackgroundEmbedding(
        engine.content, owner_of, looks=True, report=_log_embedding, fail=_log_embedding_error
    )
    roots = IngestRoots(serve.roots, only_tenant=settings.login.only_tenant)
    runner = JobRunner(
        engine.jobs.queue,
        IngestJobHandler(engine, roots, build_resumed_authentication(settings), embedding.request),
        owner=f"{os.getpid()}-{secrets.token_hex(8)}",
        ended=metrics.count_ingestion,
        lease=serve.lease,
        longest=serve.ingestion_time,
    )
    return AppState(
        engine=engine,
        login=build_authentication(settings),
        tracer=open_tracer(settings),
        runner=runner if roots and is_first else None,
        settings=serve,
        pipelines=NamedPipelines(serve, engine.questions.find_action),
        roots=roots,
        questions=_workers(
            "questions",
            serve.concurrency or _cores(serve.workers),
            serve.queue,
            metrics.pending.inc,
        ),
        answers=_workers("answers", serve.answers, serve.queue, metrics.pending.inc),
        writes=_workers("writes", WRITERS, serve.queue),
        metrics=metrics,
        load=lambda: _load_embedder(embedder),
        embedding=embedding,
        watcher=build_watcher(settings, engine, embedding.request) if is_first else None,
        embeds=is_first,
    )


def _workers(
    name: str, per_user: int, waiting: int, count: Callable[[int], None] = lambda _: None
) -> WorkerPool:
    """One worker more than a user can hold: a question finds one, whatever another user asks."""
    return WorkerPool(name, per_user + 1, waiting, per_user=per_user, count=count)


def _cores(processes: int) -> int:
    """The share of a process; at least two, so that one long question blocks no other."""
    mine = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else ()
    return max(2, (len(mine) or os.cpu_count() or 1) // processes)


def _load_embedder(embedder: Callable[[], Embedder]) -> None:
    """A first text is what makes the rest of a model load."""
    embedder().embed(["ready"])


# Lifespan: models are loaded, ingest jobs run; at the end everything is closed.


LOG = logging.getLogger("docgraph.http")
PAUSE = 2.0  # seconds until what failed is tried again


def _log_embedding(snapshot: SnapshotName) -> None:
    place = f"{snapshot.repository} {snapshot.branch}"
    LOG.info("%s: snapshot %d has further vectors", place, snapshot.snapshot)


def _log_embedding_error(branch: BranchKey, error: Exception) -> None:
    place = f"{branch.repository} {branch.branch}".strip()
    LOG.warning("embedding %s: %s: %s; trying again", place, type(error).__name__, error)


@asynccontextmanager
async def lifespan(
    state: AppState, running: Sequence[Callable[[], AbstractAsyncContextManager[Any]]]
) -> AsyncIterator[None]:
    """Requests are served while models load, so that /readyz can say so."""
    loading = asyncio.create_task(_load_models(state))
    try:
        async with AsyncExitStack() as stack:
            for run in running:
                await stack.enter_async_context(run())
            yield
    finally:
        state.drain()
        loading.cancel()
        with suppress(asyncio.CancelledError):
            await loading
        await asyncio.to_thread(state.close)


async def _load_models(state: AppState) -> None:
    """A model's server may start later than this one."""
    while not await _try_load(state):
        await asyncio.sleep(PAUSE)
    if state.runner is not None and not state.server_state.draining:
        state.runner.start()
    if state.watcher is not None and not state.server_state.draining:
        state.watcher.start()
    if state.embeds and not state.server_state.draining:
        state.embedding.start()
    state.server_state.ready = True


async def _try_load(state: AppState) -> bool:
    try:
        await asyncio.to_thread(state.load)
    except Exception as error:  # noqa: BLE001  whatever it is, it may be mended meanwhile
        LOG.warning("not ready: no model can be loaded: %s: %s", type(error).__name__, error)
        return False
    return True


# Single flight: concurrent callers share one run.


class SingleFlight:
    """In a thread of its own: any number of callers take no worker from others."""

    def __init__(self, work: Callable[[], None]) -> None:
        self._work = work
        self._workers = WorkerPool("once", threads=1, waiting=1)
        self._running: asyncio.Future[None] | None = None

    async def __call__(self) -> None:
        if self._running is None or self._running.done():
            self._running = asyncio.wrap_future(self._workers.submit(self._work, None))
            self._running.add_done_callback(_retrieve_error)
        await asyncio.shield(self._running)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """To be entered while it may be called."""
        try:
            yield
        finally:
            self._workers.close(0)


def _retrieve_error(run: "asyncio.Future[None]") -> None:
    """Also where every caller has left before it failed."""
    if not run.cancelled():
        run.exception()
