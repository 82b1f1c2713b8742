"""An engine on each store, with stand-ins for models and a clock that stands still.

The one module of the golden tests that knows how stores and engines are made.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from docgraph.adapters.postgres.audit import PostgresAuditLog
from docgraph.adapters.postgres.pool import Pool
from docgraph.adapters.postgres.store import PostgresStore
from docgraph.adapters.sqlite.server_tables import SqliteAuditLog
from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.engine import Engine
from docgraph.engine.administration import Administration
from docgraph.engine.source_monitor import MonitorLimits
from docgraph.ports.audit import AuditLog
from docgraph.ports.store import Store
from docgraph.testing.small_store import HashedWords
from tests.support.engines import make_engine
from tests.support.fakes import LengthReranker, RecitingModel, WordCounter
from tests.support.memory_keys import MemoryKeys
from tests.support.postgres_server import PostgresServer

TIME = "2024-01-01T00:00:00+00:00"


@dataclass(frozen=True, slots=True)
class Installation:
    engine: Engine
    administration: Administration


def install(store: Store, audit: AuditLog) -> Installation:
    engine = make_engine(
        store,
        audit,
        rerank_model=LengthReranker,
        clock=lambda: 0.0,
        chat_models=lambda: (RecitingModel(),),
    )
    return Installation(engine, Administration(store, audit, MemoryKeys()))


def on_sqlite(folder: Path) -> Installation:
    store = SqliteStore(folder / "store.db", now=_now, wait=5)
    return install(store, SqliteAuditLog(folder / "store.db.audit", now=_now))


@contextmanager
def on_postgres(server: PostgresServer) -> Iterator[tuple[Installation, Installation]]:
    """The second one searches the same rows with HNSW."""
    dsn = server.fresh_database()
    with closing(Pool(dsn)) as pool:
        exact, hnsw = (
            PostgresStore(pool, now=_now, wait=5, index=index)
            for index in ("packed", "pgvector-hnsw")
        )
        audit = PostgresAuditLog(pool, now=_now)
        yield install(exact, audit), install(hnsw, audit)
    server.drop(dsn)


@contextmanager
def use_fakes() -> Iterator[None]:
    """Whatever an interface builds for itself gets stand-ins for its models."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("docgraph.wiring.models.preload_embedder", lambda _: HashedWords)
        patch.setattr("docgraph.wiring.build.open_embedder", lambda _: HashedWords())
        patch.setattr("docgraph.wiring.build.open_tokens", WordCounter)
        patch.setattr("docgraph.wiring.build.open_chat_models", lambda _: (RecitingModel(),))
        patch.setattr("docgraph.wiring.build.open_reranker", lambda _: LengthReranker())
        patch.setattr("docgraph.wiring.build.SERVER", MonitorLimits(patience=60, most_files=None))
        yield


def _now() -> str:
    return TIME
