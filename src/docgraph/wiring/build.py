"""Building an engine: the whole wiring."""

import time
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from docgraph.administration import Administration
from docgraph.engine import Engine
from docgraph.model.edge import Relationship
from docgraph.model.egress import Ceiling
from docgraph.model.errors import BadInput
from docgraph.model.tokens import TokenCounter
from docgraph.ports.audit import AuditLog
from docgraph.ports.embedder import Embedder
from docgraph.ports.reranker import RerankModel
from docgraph.ports.source import Source
from docgraph.ports.store import Store
from docgraph.wiring.settings import Settings
from docgraph.wiring.store_address import is_postgres, need_psycopg

if TYPE_CHECKING:
    from docgraph.adapters.postgres.pool import Pool
    from docgraph.adapters.sources.git import GitSource


def build_engine(settings: Settings) -> Engine:
    """Models load when they are first needed, and once."""
    return Engine(
        store=open_store(settings),
        embedder=cache(lambda: open_embedder(settings)),
        tokens=cache(open_tokens),
        rerank_model=cache(lambda: open_reranker(settings)),
        clock=time.perf_counter,
        audit=open_audit(settings),
        embedder_ceiling=embedder_ceiling(settings),
    )


def build_administration(settings: Settings) -> Administration:
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


def open_embedder(settings: Settings) -> Embedder:
    if settings.embedder_folder:
        from docgraph.adapters.onnx.embedder import OnnxEmbedder

        return OnnxEmbedder(Path(settings.embedder_folder))
    if settings.embedder_endpoint:
        from docgraph.adapters.endpoint.embedder import EndpointEmbedder

        endpoint = settings.embedder_endpoint
        return EndpointEmbedder(endpoint.url, endpoint.model, api_key=endpoint.key)
    from docgraph.adapters.onnx.granite import GraniteEmbedder

    return GraniteEmbedder()


def embedder_ceiling(settings: Settings) -> Ceiling | None:
    """What may be sent to the embedder; None if it runs in this process, and nothing is sent."""
    if settings.embedder_folder or settings.embedder_endpoint is None:
        return None
    return settings.embedder_endpoint.ceiling


def open_tokens() -> TokenCounter:
    from docgraph.adapters.onnx.granite_counter import GraniteTokenCounter

    return GraniteTokenCounter()


def open_reranker(settings: Settings) -> RerankModel | None:
    if settings.reranker_endpoint is None:
        return None
    from docgraph.adapters.endpoint.reranker import EndpointReranker

    endpoint = settings.reranker_endpoint
    return EndpointReranker(
        endpoint.url, endpoint.model, api_key=endpoint.key, ceiling=endpoint.ceiling
    )


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
