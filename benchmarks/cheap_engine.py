"""Services whose embedder costs nothing, so that everything else can be timed."""

import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.services import Services, make_services
from docgraph.adapters.sqlite.server_tables import SqliteAuditLog
from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.model.question import EmbedderIdentity
from docgraph.model.vector import IntVector

if TYPE_CHECKING:
    from docgraph.adapters.postgres.pool import Pool

DIMENSIONS = 384
_TABLE = np.random.default_rng(1).integers(-400, 400, (64, DIMENSIONS)).astype(np.int16)


class CheapEmbedder:
    """As wide as the real one; a text's vector is picked by its length."""

    identity = EmbedderIdentity("cheap", "0" * 64, DIMENSIONS)

    def embed(self, texts: Sequence[str]) -> list[IntVector]:
        return [_TABLE[len(text) % len(_TABLE)] for text in texts]


class ScatteredEmbedder(CheapEmbedder):
    """Nearly as cheap, with few ties, so that questions take as long as on real texts."""

    def embed(self, texts: Sequence[str]) -> list[IntVector]:
        places = (zlib.crc32(text.encode()) for text in texts)
        return [np.roll(_TABLE[at % len(_TABLE)], at // len(_TABLE)) for at in places]


def cheap_engine(store: Path, embedder: type[CheapEmbedder] = CheapEmbedder) -> Services:
    audit = SqliteAuditLog(Path(f"{store}.audit"), now=lambda: "now")
    return make_services(SqliteStore(store, now=lambda: "now"), audit, embedder())


def cheap_engine_on(
    pool: "Pool", embedder: type[CheapEmbedder] = CheapEmbedder, *, hnsw: bool = False
) -> Services:
    """On Postgres."""
    from docgraph.adapters.postgres.audit import PostgresAuditLog
    from docgraph.adapters.postgres.store import PostgresStore

    store = PostgresStore(pool, now=lambda: "now", index="pgvector-hnsw" if hnsw else "packed")
    return make_services(store, PostgresAuditLog(pool, now=lambda: "now"), embedder())
