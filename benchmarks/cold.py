"""A question on the command line, cold, against loading the embedder alone.

Both are fresh processes, timed from their start to their end, in turns; the file is warm. Loading
the embedder is importing it, opening its session and embedding the one question. Arguments: rounds,
a folder to ingest.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.generated_store import ROOT

QUESTION = "Who may read a document of which nobody speaks?"
BARE = """
from docgraph.adapters.onnx.granite import GraniteEmbedder
GraniteEmbedder().embed([{question!r}])
"""
CLI = "from docgraph.interfaces.cli.main import main; main()"


def measure(rounds: int, folder: Path) -> dict[str, list[float]]:
    """Seconds by what was started."""
    with tempfile.TemporaryDirectory() as scratch:
        store = str(Path(scratch) / "store.db")
        run(CLI, "ingest", str(folder), "--store", store)
        ways = (
            ("an interpreter", ("pass",)),
            ("the embedder", (BARE.format(question=QUESTION),)),
            ("docgraph search", (CLI, "search", QUESTION, "--store", store)),
            ("docgraph context", (CLI, "context", QUESTION, "--store", store)),
        )
        spent: dict[str, list[float]] = {name: [] for name, _ in ways}
        for turn in range(rounds + 1):
            for name, command in ways if turn % 2 else ways[::-1]:
                seconds = run(*command)
                if turn:  # the first time warms the files up
                    spent[name].append(seconds)
    return spent


def run(*command: str) -> float:
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", *command], cwd=ROOT, env=plain(), capture_output=True, check=True
    )
    return time.perf_counter() - began


def plain() -> dict[str, str]:
    """Without settings of the user."""
    return {name: value for name, value in os.environ.items() if not name.startswith("DOCGRAPH_")}


def report(spent: dict[str, list[float]]) -> None:
    loading = spent["the embedder"]
    for name in ("docgraph context", "docgraph search", "an interpreter"):
        found = [one / other for one, other in zip(spent[name], loading, strict=True)]
        spread = f"{min(found):.2f} to {max(found):.2f}"
        print(f"{statistics.median(found):8.2f}  {name}, cold, as a multiple of loading ({spread})")
    for name, times in spent.items():
        print(f"{name}: {statistics.median(times) * 1000:.0f} ms", file=sys.stderr)


if __name__ == "__main__":
    given = sys.argv[1:]
    rounds = int(given[0]) if given else 11
    report(measure(rounds, Path(given[1]) if given[1:] else ROOT / "docs"))
