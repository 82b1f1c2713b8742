"""Questions about real trees: processor time of each, and as a multiple of a floor.

Each argument is a folder; without one it is the installed packages. The tree is ingested with
vectors that cost nothing to make. Questions are words of its own chunks, and large documents have
many; made pages have few relations, a tree of code and documentation has many in each document. The
floor is what `benchmarks.speed` calls the baseline, over the same chunks, in the same process,
interleaved. Every question is asked once, after others have warmed everything up; then all are
asked once more.
"""

import argparse
import re
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.cheap_engine import ScatteredEmbedder, cheap_engine
from benchmarks.questions import BenchmarkQuestion, engine_for
from benchmarks.search_baseline import MISSING, SearchBaseline, build_index, is_installed
from benchmarks.speed import Timings, ask_all
from benchmarks.trees import installed_packages
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import LOCAL_ONLY
from docgraph.model.plan import RetrievalPlan
from docgraph.model.question import Question
from docgraph.pipeline.load import load
from docgraph.ports.store import Store
from docgraph.wiring.build import open_folder

WARM_UP = 16
PIPELINES = ("documents", "code", "flat")
WORDS = 8
_WORD = re.compile(r"[^\W\d_]\w{3,}")
_BATCH = 50  # documents whose chunks are read at once


def ingest(tree: Path, store: Path) -> Store:
    content = cheap_engine(store, ScatteredEmbedder).content
    content.ingest(
        local(),
        open_folder(tree, 10_000_000),
        repository="r",
        branch="main",
        rule_for=lambda _: LOCAL_ONLY,
    )
    return content.store


def chunk_texts(store: Store) -> Iterator[str]:
    with store.open_session(local()) as reads:
        ids = tuple(reads.versions())
        for at in range(0, len(ids), _BATCH):
            some = ids[at : at + _BATCH]
            asked = Question("", (), ScatteredEmbedder.identity)
            texts = reads.texts(RetrievalPlan.of_seeds(asked, some))
            for node in some:
                for chunk in texts.chunks(texts.chunk_scores(node)):
                    yield chunk.text


def questions_about(texts: Sequence[str], count: int) -> list[BenchmarkQuestion]:
    """The first words of chunks at equal distances; no two questions are the same."""
    worded = (" ".join(_WORD.findall(text)[:WORDS]) for text in texts)
    distinct = list(dict.fromkeys(filter(None, worded)))
    asked = distinct[:: max(len(distinct) // count, 1)][:count]
    vectors = ScatteredEmbedder().embed(asked)
    return [
        BenchmarkQuestion(text, vector, (vector / np.linalg.norm(vector)).astype(np.float32))
        for text, vector in zip(asked, vectors, strict=True)
    ]


def floor_over(texts: Sequence[str]) -> SearchBaseline:
    rows = np.array(ScatteredEmbedder().embed(texts), dtype=np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return SearchBaseline(rows, rows[:1], build_index(texts))


def report(spent: Timings, name: str) -> str:
    asked = [1000 * seconds for seconds in spent.processor["docgraph"]]
    floor = [
        1000 * (vectors + words)
        for vectors, words in zip(spent.processor["chunks"], spent.processor["words"], strict=True)
    ]
    middle, least = statistics.median(asked), statistics.median(floor)
    times = f"median {middle:6.1f}   mean {statistics.mean(asked):6.1f}   max {max(asked):6.1f}"
    return f"  {name:<28} {times}   {middle / least:5.2f} of the floor's {least:.1f}"


def measure(tree: Path, count: int) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        store = ingest(tree, Path(scratch) / "store.db")
        texts = list(chunk_texts(store))
        asked = questions_about(texts, WARM_UP + count)
        floor = floor_over(texts)
        engine = engine_for(asked, Path(scratch) / "store.db", Path(scratch) / "audit")
        size = (Path(scratch) / "store.db").stat().st_size / 1e6
        print(f"{tree.name}: {len(texts):,} chunks, {size:.0f} MB; CPU milliseconds a question")
        for name in PIPELINES:
            pipeline = load(name)
            ask_all(engine.questions, floor, pipeline, asked[:WARM_UP])
            for when in ("new", "again"):
                spent = ask_all(engine.questions, floor, pipeline, asked[WARM_UP:])
                print(report(spent, f"{name}, {when}"), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.tree_questions", description=__doc__
    )
    parser.add_argument("trees", type=Path, nargs="*", default=[installed_packages()])
    parser.add_argument("--questions", type=int, default=48, help="timed, each of them new")
    given = parser.parse_args()
    if not is_installed():
        print(f"tree_questions: left out, {MISSING}", file=sys.stderr)
        return
    for tree in given.trees:
        measure(tree.resolve(), given.questions)


if __name__ == "__main__":
    main()
