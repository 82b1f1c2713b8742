"""Ingest against its limits: the bare loop, itself again, ten times as many files.

Prints a table; the ratios are medians over interleaved rounds. Arguments: rounds, files, a tree.
"""

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.trees import installed_packages, sample

Measured = dict[str, float]


def run(module: str, *arguments: object) -> Measured:
    command = [sys.executable, "-m", module, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: Measured = json.loads(done.stdout)
    return found


def measure(rounds: int, files: int, tree: Path) -> dict[str, list[float]]:
    ratios: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        small = sample(tree, folder / "small", files)
        large = sample(tree, folder / "large", files * 10)
        for turn in range(rounds):
            names = ("small", "large", "bare", "syntax", "chunks")
            stores = [folder / f"{turn}-{name}.db" for name in names]
            one = run("benchmarks.ingest_process", small, stores[0])
            ten = run("benchmarks.ingest_process", large, stores[1])
            bare = run("benchmarks.minimal_ingest", large, stores[1], stores[2])
            syntax = run("benchmarks.minimal_ingest", large, stores[1], stores[3], "syntax")
            chunks = run("benchmarks.minimal_ingest", large, stores[1], stores[4], "chunks")
            again = run("benchmarks.ingest_process", large, stores[1])
            text = ratios_of(one, ten, again, bare, syntax, chunks)
            for name, ratio in text.items():
                ratios.setdefault(name, []).append(ratio)
            print({k: round(v, 2) for k, v in ten.items()}, file=sys.stderr)
            for store in stores:
                store.unlink()
    return ratios


def ratios_of(
    one: Measured,
    ten: Measured,
    again: Measured,
    bare: Measured,
    syntax: Measured,
    chunks: Measured,
) -> Measured:
    first = ten["seconds"]
    tenfold = 10 * one["files"] / ten["files"]
    return {
        "rate, as a share of the bare loop's": bare["seconds"] / first,
        "the same, of a bare loop that parses with tree-sitter too": syntax["seconds"] / first,
        "rate of that loop, as a share of the bare one's": bare["seconds"] / syntax["seconds"],
        "rate, as a share of inserting chunks alone": chunks["seconds"] / first,
        "again without a change, as a share of the first time": again["seconds"] / first,
        "time for 10 x the files": first / one["seconds"] * tenfold,
        "peak memory for 10 x the files": ten["megabytes"] / one["megabytes"],
    }


if __name__ == "__main__":
    given = sys.argv[1:]
    rounds = int(given[0]) if given else 3
    files = int(given[1]) if given[1:] else 400
    tree = Path(given[2]) if given[2:] else installed_packages()
    for name, found in measure(rounds, files, tree).items():
        spread = f"{min(found):.2f} to {max(found):.2f}"
        print(f"{statistics.median(found):8.2f}  {name} ({spread})")
