"""The baseline: a dot product over every row, and BM25 by bm25s, ten best of each.

No graph, no filter by rights, no text, no record of who asked.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from benchmarks.generated_chunks import Rows, generated_chunks

if TYPE_CHECKING:
    from bm25s import BM25

TOP = 10
K1, B = 1.2, 0.75
MISSING = "bm25s is not installed: python -m pip install -r benchmarks/requirements.txt"


@dataclass(frozen=True, slots=True)
class SearchBaseline:
    chunks: Rows
    summaries: Rows
    words: "BM25"

    def vector_candidates(self, question: Rows) -> npt.NDArray[np.intp]:
        return nearest(self.chunks, question)

    def by_summary(self, question: Rows) -> npt.NDArray[np.intp]:
        return nearest(self.summaries, question)

    def lexical_candidates(self, question: str) -> npt.NDArray[np.int32]:
        import bm25s

        terms = bm25s.tokenize([question], stopwords=None, show_progress=False)
        found: npt.NDArray[np.int32] = self.words.retrieve(
            terms, k=min(TOP, len(self.chunks)), show_progress=False
        ).documents
        return found


def nearest(rows: Rows, question: Rows) -> npt.NDArray[np.intp]:
    scores = rows @ question
    top = min(TOP, len(scores))
    best = np.argpartition(scores, -top)[-top:]
    return best[np.argsort(-scores[best])]


def build_baseline(folder: Path, documents: int) -> SearchBaseline:
    """Over the chunks of so many generated pages; its lexical index is cached, too."""
    import bm25s

    chunks = generated_chunks(folder, documents)
    path = folder / f"words-{documents}-{bm25s.__version__}"
    if not path.exists():
        build_index(chunks.texts).save(path)
    return SearchBaseline(chunks.vectors, chunks.summaries, bm25s.BM25.load(path))


def build_index(texts: Sequence[str]) -> "BM25":
    import bm25s

    words = bm25s.BM25(k1=K1, b=B, method="lucene")
    words.index(
        bm25s.tokenize(list(texts), stopwords=None, show_progress=False), show_progress=False
    )
    return words


def is_installed() -> bool:
    return find_spec("bm25s") is not None
