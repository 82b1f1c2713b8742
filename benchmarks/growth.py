"""Growth with the corpus: time of search and of executing a plan, and memory of the process.

Every size is asked by a process of its own; the processes take turns, question by question. Half of
the twenty access classes may be read, vectors of questions cost nothing, the audit log is written.
Files are read once before, as those of a service that is in use: no question waits for the disk.
A store of 100,000 documents, a million chunks, takes long to make and 6 GB; it is kept.
"""

import argparse
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median

from benchmarks.draw_growth import draw
from benchmarks.generated_store import CACHE_FOLDER, ROOT, generated_store
from benchmarks.growth_figures import GrowthFigures

WARM_UP = 10
TIMED = ("search", "execute")


class Process:
    """Answers one line at a time."""

    def __init__(self, running: "subprocess.Popen[str]") -> None:
        self._running = running

    def ask(self, *words: object) -> float:
        assert self._running.stdin is not None
        assert self._running.stdout is not None
        print(*words, file=self._running.stdin, flush=True)
        return float(self._running.stdout.readline())


@contextmanager
def process(store: Path, questions: int) -> Iterator[Process]:
    command = [sys.executable, "-m", "benchmarks.growth_process", str(store), str(questions)]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:
        yield Process(running)


def warm_up(store: Path) -> None:
    with store.open("rb") as file:
        while file.read(1 << 24):
            pass


def measure(stores: dict[int, Path], questions: int) -> list[GrowthFigures]:
    with ExitStack() as held:
        asking = {
            size: held.enter_context(process(store, WARM_UP + questions))
            for size, store in stores.items()
        }
        for one in asking.values():
            ask_all(one, range(WARM_UP))
        times: dict[int, dict[str, list[float]]] = {
            size: {name: [] for name in TIMED} for size in asking
        }
        for number in range(WARM_UP, WARM_UP + questions):
            order = sorted(asking, reverse=bool(number % 2))
            for size in order:
                for name, spent in ask_all(asking[size], [number]).items():
                    times[size][name] += spent
        return [
            GrowthFigures(
                size, median(spent["search"]), median(spent["execute"]), one.ask("memory")
            )
            for (size, one), spent in zip(asking.items(), times.values(), strict=True)
        ]


def ask_all(one: Process, numbers: Sequence[int]) -> dict[str, list[float]]:
    """A question is searched before it is planned, so that nothing of it is known yet."""
    spent: dict[str, list[float]] = {name: [] for name in TIMED}
    for number in numbers:
        spent["search"].append(one.ask("search", number))
        one.ask("plan", number)
        spent["execute"].append(one.ask("execute", number))
    return spent


def report(found: Sequence[GrowthFigures]) -> None:
    by_size = {one.documents: one for one in found}
    for small, one in by_size.items():
        large = by_size.get(10 * small)
        if large is not None:
            text = f"from {small:,} to {10 * small:,} documents"
            print(f"{large.search / one.search:8.2f}  search over summaries and words, {text}")
            print(f"{large.execute / one.execute:8.2f}  execution of a plan, {text}")
            print(f"{large.megabytes / one.megabytes:8.2f}  resident memory, {text}")
    for one in found:
        print(f"{one.megabytes:8.0f}  MB resident, {one.documents:,} documents")
        text = f"{one.search * 1000:.1f} ms search, {one.execute * 1000:.1f} ms execute"
        print(f"{one.documents:,} documents: {text}", file=sys.stderr)


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    parser.add_argument("sizes", type=int, nargs="*", default=[1_000, 3_000, 10_000])
    parser.add_argument("--questions", type=int, default=60, help="timed, each of them new")
    parser.add_argument(
        "--folder", type=Path, default=CACHE_FOLDER, help="where made stores are kept"
    )
    parser.add_argument("--stale", action="store_true", help="take stores that older code made")
    parser.add_argument("--picture", type=Path, help="draw time and memory against size into this")
    return parser


def main() -> None:
    asked = arguments().parse_args()
    sizes = sorted(set(asked.sizes))
    stores = {size: generated_store(asked.folder, size, stale=asked.stale) for size in sizes}
    for store in stores.values():
        warm_up(store)
    found = measure(stores, asked.questions)
    report(found)
    if asked.picture:
        asked.picture.write_text(draw(found), encoding="utf-8")


if __name__ == "__main__":
    main()
