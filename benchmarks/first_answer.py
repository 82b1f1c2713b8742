"""From nothing to the first answer about real trees, beside a loop that only reads and parses.

Each argument is a folder; without one it is the installed packages. A tree is ingested into a new
store by the command line, as far as questions can be asked, and then asked one. The loop, in one
process, reads the same files, splits them and parses Python with tree-sitter, and keeps nothing.
Both are repeated, interleaved; the figures are medians of processor seconds and of seconds that
pass.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from semantic_text_splitter import TextSplitter

from benchmarks.trees import installed_packages
from docgraph.ingest.chunking import CHUNK_CHARACTERS
from docgraph.ingest.languages.python import PYTHON
from docgraph.ingest.languages.source import SourceCode
from docgraph.interfaces.auth.principals import local
from docgraph.wiring.build import build_engine
from docgraph.wiring.settings import Settings

DOCGRAPH = [sys.executable, "-m", "docgraph.interfaces.cli.main"]
QUESTION = "How is a file opened?"


class Seconds(NamedTuple):
    passed: float
    processor: float


class Measured(NamedTuple):
    askable: Seconds
    question: Seconds
    loop: Seconds


def run(command: Sequence[str]) -> Seconds:
    """Its children's processor time included."""
    before, began = os.times(), time.perf_counter()
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=_environment()
    ) as process:
        _, errors = process.communicate()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command, stderr=errors)
    after = os.times()
    used = after.children_user + after.children_system
    return Seconds(
        time.perf_counter() - began, used - before.children_user - before.children_system
    )


def _environment() -> dict[str, str]:
    return {**os.environ, "DOCGRAPH_VECTOR_CACHE": "off"}


def measure(tree: Path, store: Path) -> Measured:
    where = ("--store", str(store))
    ingest = run([*DOCGRAPH, "ingest", str(tree), "--no-embeddings", "--quiet", *where])
    question = run([*DOCGRAPH, "context", QUESTION, *where])
    loop = run([sys.executable, "-m", "benchmarks.first_answer", "--loop", str(store), str(tree)])
    return Measured(ingest, question, loop)


def read_and_parse(tree: Path, paths: Sequence[str]) -> None:
    splitter = TextSplitter(CHUNK_CHARACTERS)
    for path in paths:
        text = (tree / unquote(path)).read_bytes().decode("utf-8-sig", "replace")
        splitter.chunks(text)
        if path.endswith(".py"):
            SourceCode(PYTHON, path, text)


def stored_paths(store: Path) -> list[str]:
    with build_engine(Settings(store=str(store))).content.store.open_session(local()) as reads:
        return sorted(document.partition(":")[2] for document in reads.versions())


def count_chunks(store: Path) -> int:
    with build_engine(Settings(store=str(store))).content.store.open_session(local()) as reads:
        return reads.counts()["chunks"]


def report(tree: Path, rounds: int) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        stores = [Path(scratch) / f"{number}.db" for number in range(rounds)]
        found = [measure(tree, store) for store in stores]
        store = stores[0]
        files, chunks = len(stored_paths(store)), count_chunks(store)
        size = store.stat().st_size / 1e6
    askable, question, loop = (
        Seconds(*map(statistics.median, zip(*some, strict=True)))
        for some in zip(*found, strict=True)
    )
    scale = 100_000 / chunks
    print(f"{tree.name}: {files:,} files, {chunks:,} chunks, {size:.0f} MB without vectors")
    for name, seconds in (
        ("questions can be asked", askable),
        ("the same, for 100,000 chunks", Seconds(*(scale * one for one in askable))),
        ("first answer", Seconds(*(sum(two) for two in zip(askable, question, strict=True)))),
        ("bare loop: read, split, parse", loop),
    ):
        print(f"  {name:<32}{seconds.passed:7.1f} s  {seconds.processor:7.1f} CPU-s")
    ratios = (one / other for one, other in zip(askable, loop, strict=True))
    print(f"  {'times the loop':<32}" + "  ".join(f"{ratio:7.2f}" for ratio in ratios), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.first_answer", description=__doc__)
    parser.add_argument("trees", type=Path, nargs="*", default=[installed_packages()])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--loop", type=Path, metavar="STORE", help="run the loop alone")
    given = parser.parse_args()
    for tree in given.trees:
        if given.loop:
            read_and_parse(tree, stored_paths(given.loop))
        else:
            report(tree.resolve(), given.rounds)


if __name__ == "__main__":
    main()
