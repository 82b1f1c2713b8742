"""docgraph and other libraries over the same chunks and vectors, as multiples of the baseline.

Nobody embeds: vectors of chunks and questions are looked up. Everyone is asked for ten, in turns,
question by question, in one process; libraries that are not installed are named and left out.
docgraph runs its whole path, for a reader who may read every class, and writes its audit log.
"""

import argparse
import logging
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path

from benchmarks.generated_chunks import generated_chunks
from benchmarks.generated_pages import CLASSES
from benchmarks.generated_store import CACHE_FOLDER, generated_store
from benchmarks.peers.peer_input import Ask, PeerInput, make_input
from benchmarks.questions import BenchmarkQuestion, engine_for, questions
from benchmarks.search_baseline import MISSING, SearchBaseline, build_baseline, is_installed
from docgraph.interfaces.auth.principals import impersonated, local
from docgraph.model.access import LOCAL, Person
from docgraph.pipeline.load import load
from docgraph.pipeline.request import QuestionRequest

PEERS = {
    "graph-retriever": "ask_graph_retriever",
    "llama-index-core": "ask_llama_index",
    "haystack-ai": "ask_haystack",
    "txtai": "ask_txtai",
    "lightrag-hku": "ask_lightrag",
}
WARM_UP = 5


def open_peers(selected: PeerInput, only: Sequence[str]) -> dict[str, Ask]:
    """The peers that are installed, each with everything in it."""
    found: dict[str, Ask] = {}
    for name in only:
        try:
            peer = import_module(f"benchmarks.peers.{PEERS[name]}")
        except ModuleNotFoundError as error:
            print(f"{name}: left out, {error.name} is not installed")
            continue
        build: Callable[[PeerInput], Ask] = getattr(peer, PEERS[name])
        began = time.perf_counter()
        found[name] = build(selected)
        print(f"{name}: filled in {time.perf_counter() - began:.0f} s", flush=True)
    return found


def baseline_documents(
    baseline: SearchBaseline, texts: Sequence[str], asked: BenchmarkQuestion
) -> list[str]:
    words = baseline.lexical_candidates(asked.text)[0]
    return [texts[position] for position in (*baseline.vector_candidates(asked.floats), *words)]


def measure(
    ways: dict[str, Ask], baseline: Ask, asked: Sequence[BenchmarkQuestion]
) -> tuple[list[float], dict[str, list[float]]]:
    """Seconds of the baseline and of each library; the order changes with every question."""
    least: list[float] = []
    spent: dict[str, list[float]] = {name: [] for name in ways}
    for turn, one in enumerate(asked):
        names = list(ways)
        began = time.perf_counter()
        found = set(baseline(one))
        least.append(time.perf_counter() - began)
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            began = time.perf_counter()
            texts = ways[name](one)
            spent[name].append(time.perf_counter() - began)
            assert name == "docgraph" or found & set(texts), f"{name} searches something else"
    return least[WARM_UP:], {name: times[WARM_UP:] for name, times in spent.items()}


def report(least: Sequence[float], spent: dict[str, list[float]]) -> None:
    baseline = statistics.median(least)
    for name, times in sorted(spent.items(), key=lambda item: (statistics.median(item[1]), item)):
        low, *_, high = statistics.quantiles(times, n=20)
        spread = f"{low / baseline:.1f} to {high / baseline:.1f}"
        print(f"{statistics.median(times) / baseline:8.1f}  {name} ({spread})")


def disable_telemetry() -> None:
    """Telemetry and progress output of the libraries are off."""
    os.environ.update({"HAYSTACK_TELEMETRY_ENABLED": "False", "HF_HUB_OFFLINE": "1"})
    logging.disable(logging.WARNING)


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compare", description=__doc__)
    parser.add_argument("--documents", type=int, default=2_200, help="ten chunks in each")
    parser.add_argument("--questions", type=int, default=40, help="timed, each of them new")
    parser.add_argument(
        "--folder", type=Path, default=CACHE_FOLDER, help="where made stores are kept"
    )
    parser.add_argument("--stale", action="store_true", help="take a store that older code made")
    parser.add_argument("--only", nargs="*", choices=PEERS, default=tuple(PEERS))
    return parser


def main() -> None:
    options = arguments().parse_args()
    disable_telemetry()
    if not is_installed():
        print(f"compare: left out, {MISSING}")
        return
    asked = questions(WARM_UP + options.questions)
    chunks = generated_chunks(options.folder, options.documents)
    baseline = partial(
        baseline_documents, build_baseline(options.folder, options.documents), chunks.texts
    )
    ways = open_peers(make_input(chunks, asked), options.only)
    store = generated_store(options.folder, options.documents, stale=options.stale)
    everyone = Person("everyone", LOCAL, frozenset(f"team-{team}" for team in range(CLASSES)))
    reader, pipeline = impersonated(everyone, local()), load("documents")
    with tempfile.TemporaryDirectory(dir=store.parent) as scratch:
        engine = engine_for(asked, store, Path(scratch) / "audit")

        def ask(one: BenchmarkQuestion) -> list[str]:
            return [
                engine.questions.retrieve(QuestionRequest(reader, pipeline, one.text)).context.text
            ]

        report(*measure({"docgraph": ask, **ways}, baseline, asked))


if __name__ == "__main__":
    main()
