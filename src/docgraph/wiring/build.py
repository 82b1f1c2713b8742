"""Building an engine: the whole wiring."""

import threading
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from docgraph.engine.content import Engine
from docgraph.model.edge import Relationship
from docgraph.model.errors import BadInput
from docgraph.ports.audit import AuditLog
from docgraph.ports.auth import ApiKeyStore, TokenVerifier
from docgraph.ports.job_queue import IngestJobQueue
from docgraph.ports.models import Embedder
from docgraph.ports.source import Source
from docgraph.ports.store import Store
from docgraph.ports.tracer import NO_TRACER, Tracer
from docgraph.wiring.auth_settings import IssuerSettings
from docgraph.wiring.backends import is_postgres, need_psycopg
from docgraph.wiring.models import (
    embedder_clearance,
    open_chat_models,
    open_embedder,
    open_reranker,
    open_tokens,
)
from docgraph.wiring.settings import Settings

if TYPE_CHECKING:
    from docgraph.adapters.postgres.pool import Pool
    from docgraph.engine.administration import Administration


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


def build_engine(settings: Settings, embedder: Callable[[], Embedder] | None = None) -> Engine:
    """Models load when they are first needed, and once; the embedder may be on its way already."""
    return Engine(
        store=open_store(settings),
        embedder=embedder or lazy_once(lambda: open_embedder(settings)),
        tokens=lazy_once(open_tokens),
        rerank_model=lazy_once(lambda: open_reranker(settings)),
        clock=time.perf_counter,
        audit=open_audit(settings),
        embedder_clearance=embedder_clearance(settings),
        chat_models=lazy_once(lambda: open_chat_models(settings)),
        tracer=open_tracer(settings),
    )


def build_administration(settings: Settings) -> "Administration":
    from docgraph.engine.administration import Administration

    return Administration(open_store(settings), open_audit(settings), open_keys(settings))


def open_store(settings: Settings) -> Store:
    if is_postgres(settings.store):
        pool = _pool(settings.store)
        from docgraph.adapters.postgres.store import PostgresStore

        return PostgresStore(pool, now=_now, wait=settings.wait, hnsw=settings.hnsw)
    if settings.hnsw:
        raise BadInput("hnsw is a setting for a Postgres store: SQLite always looks at every row")
    from docgraph.adapters.sqlite.store import SqliteStore

    return SqliteStore(
        Path(settings.store),
        now=_now,
        wait=settings.wait,
    )


def open_audit(settings: Settings) -> AuditLog:
    """Beside the store, in a file or tables of its own: writing to it waits for no ingest."""
    if is_postgres(settings.store):
        pool = _pool(settings.store)
        from docgraph.adapters.postgres.audit import PostgresAudit

        return PostgresAudit(pool, now=_now)
    from docgraph.adapters.sqlite.server_tables import SqliteAudit

    return SqliteAudit(Path(f"{settings.store}.audit"), now=_now)


def open_tracer(settings: Settings) -> Tracer:
    """Nobody is told anything unless settings say so."""
    if not settings.telemetry:
        return NO_TRACER
    try:
        from docgraph.adapters.opentelemetry import OpenTelemetryTracer, the_provider
    except ImportError as error:
        raise BadInput(
            "telemetry needs packages that are not installed: pip install 'docgraph[telemetry]'"
        ) from error
    return OpenTelemetryTracer(the_provider())


def open_keys(settings: Settings) -> ApiKeyStore:
    """Beside the store, as the audit log is; so is the book of ingestions."""
    if is_postgres(settings.store):
        pool = _pool(settings.store)
        from docgraph.adapters.postgres.server_tables import PostgresKeys

        return PostgresKeys(pool)
    from docgraph.adapters.sqlite.server_tables import SqliteKeys

    return SqliteKeys(Path(f"{settings.store}.server"))


def open_ingestions(settings: Settings) -> IngestJobQueue:
    if is_postgres(settings.store):
        pool = _pool(settings.store)
        from docgraph.adapters.postgres.server_tables import PostgresIngestions

        return PostgresIngestions(pool)
    from docgraph.adapters.sqlite.server_tables import SqliteIngestions

    return SqliteIngestions(Path(f"{settings.store}.server"), now=_now, clock=time.time)


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


@cache
def _pool(address: str) -> "Pool":
    """One for all that this process asks of a database."""
    need_psycopg()
    from docgraph.adapters.postgres.pool import Pool

    return Pool(address)


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

    return FolderSource(path, max_bytes=max_bytes)


def git_parent_access_rules(path: Path, commit: str, inside: Path) -> bool:
    from docgraph.adapters.sources.git_repository import git_parent_access_rules as rules_above

    return rules_above(path, commit, inside)
