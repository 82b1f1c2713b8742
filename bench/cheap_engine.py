"""An engine whose embedder costs nothing, so that everything else can be timed."""

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from docgraph.adapters.sqlite.audit import SqliteAudit
from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.engine import Engine
from docgraph.model.question import EmbedderIdentity
from docgraph.model.vector import IntVector
from docgraph.wiring.build import open_tokens

DIMENSIONS = 384
_TABLE = np.random.default_rng(1).integers(-400, 400, (64, DIMENSIONS)).astype(np.int16)


class CheapEmbedder:
    """As wide as the real one; a text's vector is picked by its length."""

    identity = EmbedderIdentity("cheap", "0" * 64, DIMENSIONS)

    def embed(self, texts: Sequence[str]) -> list[IntVector]:
        return [_TABLE[len(text) % len(_TABLE)] for text in texts]


def cheap_engine(store: Path) -> Engine:
    return Engine(
        SqliteStore(store, now=lambda: "now"),
        CheapEmbedder,
        open_tokens,
        lambda: None,
        time.perf_counter,
        SqliteAudit(Path(f"{store}.audit"), now=lambda: "now"),
    )
