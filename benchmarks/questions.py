"""Generated questions with their vectors, and services for them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.cheap_engine import CheapEmbedder, ScatteredEmbedder
from benchmarks.generated_chunks import Rows
from benchmarks.generated_texts import random_text
from benchmarks.services import Services, make_services
from docgraph.adapters.sqlite.server_tables import SqliteAuditLog
from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.model.question import Question
from docgraph.model.vector import IntVector

WORDS = 5


@dataclass(frozen=True, slots=True)
class BenchmarkQuestion:
    """A question with its vector, for docgraph and for the baseline."""

    text: str
    integers: IntVector
    floats: Rows

    @property
    def question(self) -> Question:
        return Question(self.text, tuple(map(int, self.integers)), CheapEmbedder.identity)


class PreparedEmbedder(CheapEmbedder):
    """Looks up the vectors of these questions only."""

    def __init__(self, asked: Sequence[BenchmarkQuestion]) -> None:
        self._known = {one.text: one.integers for one in asked}

    def embed(self, texts: Sequence[str]) -> list[IntVector]:
        return [self._known[text] for text in texts]


def questions(count: int) -> list[BenchmarkQuestion]:
    """No two are the same."""
    texts = dict.fromkeys(
        random_text(f"question {number}", WORDS, WORDS) for number in range(2 * count)
    )
    first = list(texts)[:count]
    vectors = ScatteredEmbedder().embed(first)
    return [
        BenchmarkQuestion(text, vector, (vector / np.linalg.norm(vector)).astype(np.float32))
        for text, vector in zip(first, vectors, strict=True)
    ]


def engine_for(asked: Sequence[BenchmarkQuestion], store: Path, audit: Path) -> Services:
    log = SqliteAuditLog(audit, now=lambda: "now")
    return make_services(SqliteStore(store, now=lambda: "now"), log, PreparedEmbedder(asked))
