"""A question on the command line, cold: processor time, and time against loading the embedder.

All are fresh processes, in turns; the files are warm. Processor time is that of the process with
its threads. Loading the embedder is importing it, opening its session and embedding the one
question. The folder is ingested with vectors that cost nothing to make. `--against` names the
`src` of another checkout, whose command runs in turns with this one's.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks.cheap_engine import ScatteredEmbedder, cheap_engine
from benchmarks.generated_store import ROOT
from docgraph.adapters.onnx.granite import GraniteEmbedder
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import LOCAL_ONLY
from docgraph.wiring.build import open_folder

QUESTION = "Who may read a document of which nobody speaks?"
BARE = f"""
from docgraph.adapters.onnx.granite import GraniteEmbedder
GraniteEmbedder().embed([{QUESTION!r}])
"""
CLI = "from docgraph.interfaces.cli.main import main; main()"
LEXICAL = "pipeline: words\nextends: documents\nchange: {search_nodes: {mode: bm25}}\n"
EMBEDDER, CONTEXT = "the embedder", "docgraph context"


class Spent(NamedTuple):
    """Seconds of one process."""

    processor: float
    wall: float


class NamedEmbedder(ScatteredEmbedder):
    """Cheap vectors under the name of the bundled model, so that the command asks them."""

    identity = GraniteEmbedder().identity


def ingest(folder: Path, store: Path) -> None:
    cheap_engine(store, NamedEmbedder).content.ingest(
        local(),
        open_folder(folder, 10_000_000),
        repository="r",
        branch="main",
        rule_for=lambda _: LOCAL_ONLY,
    )


def measure(rounds: int, folder: Path, against: Path | None) -> dict[str, list[Spent]]:
    """By what was started."""
    with tempfile.TemporaryDirectory() as scratch:
        store, lexical = str(Path(scratch) / "store.db"), Path(scratch) / "words.yaml"
        lexical.write_text(LEXICAL, encoding="utf-8")
        ingest(folder, Path(store))
        here, asked = ROOT / "src", (QUESTION, "--store", store)
        ways = [
            ("an interpreter", here, ("pass",)),
            (EMBEDDER, here, (BARE,)),
            (CONTEXT, here, (CLI, "context", *asked)),
            ("docgraph search", here, (CLI, "search", *asked)),
            ("docgraph search by words", here, (CLI, "search", *asked, "-p", str(lexical))),
        ]
        if against is not None:
            ways.append((f"{CONTEXT} before", against, (CLI, "context", *asked)))
        spent: dict[str, list[Spent]] = {name: [] for name, *_ in ways}
        for turn in range(rounds + 1):
            for name, source, command in ways if turn % 2 else ways[::-1]:
                seconds = run(source, *command)
                if turn:  # the first time warms the files up
                    spent[name].append(seconds)
    return spent


def run(source: Path, *command: str) -> Spent:
    silent = os.open(os.devnull, os.O_RDWR)
    began = time.perf_counter()
    process = os.posix_spawn(
        sys.executable,
        [sys.executable, "-c", *command],
        plain(source),
        file_actions=[(os.POSIX_SPAWN_DUP2, silent, 1)],
    )
    _, status, used = os.wait4(process, 0)
    wall = time.perf_counter() - began
    os.close(silent)
    if status:
        raise RuntimeError(f"{command[:2]} ended with {os.waitstatus_to_exitcode(status)}")
    return Spent(used.ru_utime + used.ru_stime, wall)


def plain(source: Path) -> dict[str, str]:
    """Without settings of the user; with bytecode, as an installed package has it."""
    left_out = ("DOCGRAPH_", "PYTHONDONTWRITEBYTECODE")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
    return {**kept, "PYTHONPATH": str(source)}


def report(spent: dict[str, list[Spent]]) -> None:
    for name, times in spent.items():
        used = [one.processor for one in times]
        ratios = [one / other.processor for one, other in zip(used, spent[CONTEXT], strict=True)]
        print(
            f"{statistics.median(used):7.3f} CPU s ({min(used):.3f} to {max(used):.3f})  {name}: "
            f"{statistics.median(ratios):.2f} of {CONTEXT} ({min(ratios):.2f} to {max(ratios):.2f})"
        )
    loading = [one.wall for one in spent[EMBEDDER]]
    for name in (CONTEXT, "docgraph search"):
        found = [one.wall / other for one, other in zip(spent[name], loading, strict=True)]
        spread = f"{min(found):.2f} to {max(found):.2f}"
        print(f"{statistics.median(found):8.2f}  {name}, cold, as a multiple of loading ({spread})")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cold", description=__doc__)
    parser.add_argument("rounds", type=int, nargs="?", default=15)
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "docs")
    parser.add_argument("--against", type=Path, help="the src folder of another checkout")
    given = parser.parse_args()
    report(measure(given.rounds, given.folder.resolve(), given.against))


if __name__ == "__main__":
    main()
