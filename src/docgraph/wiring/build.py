"""Building an engine: the whole wiring."""

import threading
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TypeVar

from docgraph.engine import Engine
from docgraph.engine.administration import Administration
from docgraph.engine.audit_trail import AuditTrail
from docgraph.engine.content import ContentService
from docgraph.engine.ingest_jobs import IngestJobService
from docgraph.engine.questions import QuestionService
from docgraph.engine.source_monitor import ONE_COMMAND, SERVER, SourceMonitor
from docgraph.model.edge import Relationship
from docgraph.model.errors import BadInput
from docgraph.ports.audit import AuditLog
from docgraph.ports.auth import TokenVerifier
from docgraph.ports.models import Embedder
from docgraph.ports.source import Source
from docgraph.ports.source_states import SourceStates
from docgraph.ports.store import Store, Stores
from docgraph.ports.tracer import NO_TRACER, Tracer
from docgraph.wiring.auth_settings import IssuerSettings
from docgraph.wiring.backends import open_stores
from docgraph.wiring.models import (
    embedder_clearance,
    open_chat_models,
    open_embedder,
    open_reranker,
    open_tokens,
)
from docgraph.wiring.parsing import open_parser_pool
from docgraph.wiring.plugins import find_action, ingest_registries
from docgraph.wiring.settings import Settings
from docgraph.wiring.vector_cache import open_vector_cache

# once: what takes long to make is made when first needed, and by one thread alone.


T = TypeVar("T")


def lazy_once(make: Callable[[], T]) -> Callable[[], T]:
    """Others who need it meanwhile wait for it; where it fails, the next one tries again."""
    lock = threading.Lock()
    made: list[T] = []

    def get() -> T:
        if not made:
            with lock:
                if not made:
                    made.append(make())
        return made[0]

    return get


def build_engine(
    settings: Settings,
    embedder: Callable[[], Embedder] | None = None,
    store: Store | None = None,
    *,
    is_server: bool = False,
) -> Engine:
    """Models load when they are first needed, and once; the embedder may be loading already."""
    stores = open_stores(settings)
    store = store or stores.store
    audit = AuditTrail(_audit_log(stores, is_server=is_server), open_tracer(settings))
    embedder = embedder or lazy_once(lambda: open_embedder(settings))
    return Engine(
        questions=QuestionService(
            store=store,
            audit=audit,
            embedder=embedder,
            tokens=lazy_once(open_tokens),
            rerank_model=lazy_once(lambda: open_reranker(settings)),
            clock=time.perf_counter,
            chat_models=lazy_once(lambda: open_chat_models(settings)),
            find_action=partial(find_action, allowed=settings.plugins),
        ),
        content=ContentService(
            store,
            audit,
            embedder,
            embedder_clearance(settings),
            lazy_once(lambda: ingest_registries(settings.plugins)),
            partial(open_parser_pool, settings),
            partial(open_vector_cache, settings.vector_cache),
            SourceMonitor(_source_states(settings), SERVER if is_server else ONE_COMMAND),
        ),
        administration=Administration(store, audit.log, stores.api_keys),
        jobs=IngestJobService(stores.jobs, store, audit.log, _now, _new_id),
    )


def _audit_log(stores: Stores, *, is_server: bool) -> AuditLog:
    if not is_server:
        return stores.audit
    from docgraph.engine.audit_groups import GroupedAuditLog

    return GroupedAuditLog(stores.audit)


def _source_states(settings: Settings) -> SourceStates | None:
    """Beside a store that is a file; a Postgres store is used from many machines."""
    from docgraph.adapters.sources.source_states import SourceStateFiles

    return None if "://" in settings.store else SourceStateFiles(Path(f"{settings.store}.sources"))


def build_administration(settings: Settings) -> Administration:
    stores = open_stores(settings)
    return Administration(stores.store, stores.audit, stores.api_keys)


def open_tracer(settings: Settings) -> Tracer:
    """Nothing is reported unless settings say so."""
    if not settings.telemetry:
        return NO_TRACER
    try:
        from docgraph.adapters.opentelemetry import OpenTelemetryTracer, find_provider
    except ImportError as error:
        raise BadInput(
            "telemetry needs packages that are not installed: pip install 'docgraph[telemetry]'"
        ) from error
    return OpenTelemetryTracer(find_provider())


def open_token_issuer(settings: IssuerSettings) -> TokenVerifier:
    _need_jwt()
    from docgraph.adapters.jwt.jwks import JwksFile, JwksUrl, KeySet
    from docgraph.adapters.jwt.verifier import JwtVerifier

    jwks = settings.jwks
    source = JwksUrl(jwks) if "://" in jwks else JwksFile(Path(jwks))
    return JwtVerifier(
        settings.issuer,
        settings.audience,
        KeySet(source, clock=time.monotonic),
        algorithms=settings.algorithms,
        leeway=settings.leeway,
        now=time.time,
    )


def _need_jwt() -> None:
    """With what it checks signatures by, which can be missing where it was installed alone."""
    try:
        found = import_module("jwt.algorithms").has_crypto
    except ImportError:
        found = False
    if not found:
        raise BadInput(
            "login.tokens needs PyJWT with cryptography; install it with: "
            "pip install 'docgraph[http]'"
        )


def _new_id() -> str:
    from uuid import uuid4

    return uuid4().hex


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def open_jsonl(corpus: Path) -> Source:
    from docgraph.adapters.sources.jsonl import JsonlSource

    return JsonlSource(corpus)


def read_jsonl_edges(edges: Path, repository: str) -> tuple[Relationship, ...]:
    from docgraph.adapters.sources.jsonl import read_edges

    return read_edges(edges, repository)


def open_manifests(
    manifests: Path, blobs: Path, names: tuple[str, ...] | None = None
) -> Mapping[str, Source]:
    from docgraph.adapters.sources.jsonl import read_manifests

    return read_manifests(manifests, blobs, names)


def open_folder(path: Path, max_bytes: int) -> Source:
    from docgraph.adapters.sources.folder import FolderSource

    return FolderSource(path, max_bytes)


def git_parent_access_rules(path: Path, commit: str, inside: Path) -> bool:
    from docgraph.adapters.sources.git_repository import git_parent_access_rules

    return git_parent_access_rules(path, commit, inside)
