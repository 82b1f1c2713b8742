"""Building an engine: the whole wiring."""

import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from docgraph.engine import Engine
from docgraph.model.edge import Relationship
from docgraph.model.errors import BadInput
from docgraph.ports.audit import AuditLog
from docgraph.ports.embedder import Embedder
from docgraph.ports.source import Source
from docgraph.ports.store import Store
from docgraph.wiring.models import (
    embedder_ceiling,
    open_chat_models,
    open_embedder,
    open_reranker,
    open_tokens,
)
from docgraph.wiring.settings import Settings
from docgraph.wiring.store_address import is_postgres, need_psycopg

if TYPE_CHECKING:
    from docgraph.adapters.postgres.pool import Pool
    from docgraph.adapters.sources.git import GitSource
    from docgraph.administration import Administration


def build_engine(settings: Settings, embedder: Callable[[], Embedder] | None = None) -> Engine:
    """Models load when they are first needed, and once; the embedder may be on its way already."""
    return Engine(
        store=open_store(settings),
        embedder=embedder or cache(lambda: open_embedder(settings)),
        tokens=cache(open_tokens),
        rerank_model=cache(lambda: open_reranker(settings)),
        clock=time.perf_counter,
        audit=open_audit(settings),
        embedder_ceiling=embedder_ceiling(settings),
        chat_models=cache(lambda: open_chat_models(settings)),
    )


def build_administration(settings: Settings) -> "Administration":
    from docgraph.administration import Administration

    return Administration(open_store(settings), open_audit(settings))


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
    from docgraph.adapters.sqlite.audit import SqliteAudit

    return SqliteAudit(Path(f"{settings.store}.audit"), now=_now)


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
    from docgraph.adapters.sources.manifests import read_manifests

    return read_manifests(manifests, blobs, names)


def open_folder(path: Path, max_bytes: int) -> Source:
    from docgraph.adapters.sources.folder import FolderSource

    return FolderSource(path, max_bytes=max_bytes)


def open_git(path: Path, ref: str, max_bytes: int) -> "GitSource":
    """To be closed; it says which commit and branch `ref` stands for."""
    from docgraph.adapters.sources.git import GitSource

    return GitSource(path, ref, max_bytes=max_bytes)
