"""The whole path of a question against the baseline, over the same rows, in one process.

Made pages of twenty access classes, half of which the reader may read. The question's vector is
there before the clock starts; writing the audit log is in the time. Every question is asked once,
after others have warmed everything up; then all are asked once more.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.generated_store import CACHE_FOLDER, generated_store
from benchmarks.questions import BenchmarkQuestion, engine_for, questions
from benchmarks.search_baseline import MISSING, SearchBaseline, build_baseline, is_installed
from docgraph.engine.questions import QuestionService
from docgraph.interfaces.auth.principals import local
from docgraph.pipeline.load import load
from docgraph.pipeline.pipeline import Pipeline
from docgraph.pipeline.request import QuestionRequest
from docgraph.pipeline.retrieval import Retrieval

WARM_UP = 50
PARTS = 5  # of the questions: the spread is that of their medians
BASELINES = {
    "the baseline: every chunk's row, and bm25s": ("chunks", "words"),
    "the strict baseline: a summary's row for each page, and bm25s": ("summaries", "words"),
}
Times = dict[str, list[float]]


@dataclass(frozen=True, slots=True)
class Timings:
    """Seconds of each method, processor seconds of each method, and seconds of docgraph's steps."""

    times: Times = field(default_factory=lambda: defaultdict(list))
    processor: Times = field(default_factory=lambda: defaultdict(list))
    steps: Times = field(default_factory=lambda: defaultdict(list))


def measure(
    store: Path, baseline: SearchBaseline, pipeline: Pipeline, count: int
) -> tuple[Timings, Timings]:
    """On questions never asked before, and on the same again."""
    asked = questions(WARM_UP + count)
    with tempfile.TemporaryDirectory(dir=store.parent) as scratch:
        engine = engine_for(asked, store, Path(scratch) / "audit")
        ask = partial(ask_all, engine.questions, baseline, pipeline)
        ask(asked[:WARM_UP])
        return ask(asked[WARM_UP:]), ask(asked[WARM_UP:])


def ask_all(
    service: QuestionService,
    baseline: SearchBaseline,
    pipeline: Pipeline,
    asked: Sequence[BenchmarkQuestion],
) -> Timings:
    """Interleaved; the order changes with every question."""
    spent = Timings()
    for position, one in enumerate(asked):
        ways = (
            ("chunks", partial(baseline.vector_candidates, one.floats)),
            ("summaries", partial(baseline.by_summary, one.floats)),
            ("words", partial(baseline.lexical_candidates, one.text)),
            ("docgraph", partial(service.retrieve, QuestionRequest(local(), pipeline, one.text))),
        )
        turn = position % len(ways)
        for name, way in ways[turn:] + ways[:turn]:
            worked, began = time.process_time(), time.perf_counter()
            found = way()
            spent.times[name].append(time.perf_counter() - began)
            spent.processor[name].append(time.process_time() - worked)
            if isinstance(found, Retrieval):
                for step in found.run.trace.steps:
                    spent.steps[step.action].append(step.milliseconds / 1000)
    return spent


def multiple(spent: Times, of: Sequence[str], part: slice = slice(None)) -> float:
    """docgraph's median as a multiple of the sum of these medians."""
    baseline = sum(statistics.median(spent[name][part]) for name in of)
    return statistics.median(spent["docgraph"][part]) / baseline


def report(spent: Times, when: str) -> None:
    size = max(len(spent["docgraph"]) // PARTS, 1)
    for name, of in BASELINES.items():
        parts = [multiple(spent, of, slice(at, at + size)) for at in range(0, size * PARTS, size)]
        spread = f"{min(parts):.2f} to {max(parts):.2f}"
        print(f"{multiple(spent, of):8.2f}  {when}, as a multiple of {name} ({spread})")
    print(f"{tail(spent['docgraph']):8.2f}  {when}: p99 as a multiple of p50")


def tail(times: Sequence[float]) -> float:
    return float(np.quantile(times, 0.99)) / statistics.median(times)


def show(spent: Timings) -> None:
    """Milliseconds, to find the next thing to make faster.

    On a busy machine those on the processor alone say more; they leave out waiting for the disk.
    """
    for name, times in (*spent.times.items(), *spent.steps.items()):
        half, most = statistics.median(times) * 1000, float(np.quantile(times, 0.99)) * 1000
        alone = spent.processor.get(name)
        text = f"   processor alone {statistics.median(alone) * 1000:8.3f} ms" if alone else ""
        print(f"  {name:<22} p50 {half:8.3f} ms   p99 {most:8.3f} ms{text}", file=sys.stderr)
    steps = sum(map(statistics.median, spent.steps.values()))
    rest = statistics.median(spent.times["docgraph"]) - steps
    print(f"  {'outside the steps':<22} p50 {rest * 1000:8.3f} ms", file=sys.stderr)
    for name, of in BASELINES.items():
        text = f"on the processor alone, as a multiple of {name}"
        print(f"  {multiple(spent.processor, of):.2f}  {text}", file=sys.stderr)


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--questions", type=int, default=300, help="timed, each of them new")
    parser.add_argument("--pipeline", default="documents")
    parser.add_argument(
        "--folder", type=Path, default=CACHE_FOLDER, help="where made stores are kept"
    )
    parser.add_argument("--store", type=Path, help="this store, made of as many documents")
    return parser


def main() -> None:
    asked = arguments().parse_args()
    if not is_installed():
        print(f"speed: left out, {MISSING}")
        return
    store = asked.store or generated_store(asked.folder, asked.documents)
    baseline = build_baseline(asked.folder, asked.documents)
    rows = f"{asked.documents:,} documents, {len(baseline.chunks):,} chunks"
    print(f"{asked.pipeline}, {rows}, {asked.questions} questions, NumPy {np.__version__}")
    first, again = measure(store, baseline, load(asked.pipeline), asked.questions)
    show(first)
    report(first.times, "asked for the first time")
    report(again.times, "asked again")


if __name__ == "__main__":
    main()
