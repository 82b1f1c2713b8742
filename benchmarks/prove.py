"""The long proof of no interference: the machine's runs in shards, side by side.

Shards that are done are kept by number and by what the code was, so that a proof that was broken
off goes on where it was. A run that finds a difference is kept too, with the steps that lead to it.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

import pytest
from hypothesis import Phase

from tests.interference.leaks import LEAKS
from tests.interference.machine import counts
from tests.interference.runs import prove
from tests.interference.store_factories import StoreFactory, on_sqlite
from tests.interference.stores import small_limits

ROOT = Path(__file__).parent.parent
FIRST = 1000  # the shards of `make test` have smaller numbers
STEPS = 6
CODE = ("src/docgraph", "tests/interference", "tests/support", "benchmarks/prove.py")


@dataclass(frozen=True, slots=True)
class Shard:
    """What one number gave. `code` is a digest of everything on which its runs depend."""

    code: str
    seed: int
    runs: int
    comparisons: int
    seconds: float


def main() -> int:
    asked = arguments().parse_args()
    if asked.only is not None:
        with store_factory(asked.store) as found:
            return run_shard(asked.only, asked.size, asked.plant, found)
    asked.folder.mkdir(parents=True, exist_ok=True)
    began, code = time.monotonic(), fingerprint(asked.plant, asked.store)
    seeds = range(FIRST, FIRST + -(-asked.examples // asked.size))
    there = {shard.seed: shard for shard in stored_shards(asked.folder) if shard.code == code}
    done = {n: there[n] for n in seeds if n in there and there[n].runs >= asked.size}
    if done:
        print(f"{len(done)} of {len(seeds)} shards are there already", flush=True)
    complete = run_shards([seed for seed in seeds if seed not in done], done, asked, code)
    verdict = "no interference" if complete else "not proved"
    where = f"seeds {seeds[0]} to {seeds[-1]}, {commit()}, code {code[:12]}"
    print(f"{verdict}: {describe(done)}, {where}, {time.monotonic() - began:.0f} s")
    return 0 if complete else 1


def run_shards(
    left: list[int], done: dict[int, Shard], asked: argparse.Namespace, code: str
) -> bool:
    """Adds to `done` shard by shard, up to the first that fails; whether none does."""
    began = time.monotonic()
    pool = ThreadPoolExecutor(asked.workers)
    try:
        running = [pool.submit(run_in_process, seed, asked, code) for seed in left]
        for number, future in enumerate(as_completed(running), start=1):
            shard = future.result()
            if shard is None:
                return False
            done[shard.seed] = shard
            with (asked.folder / "shards.jsonl").open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(shard)) + "\n")
            more = (time.monotonic() - began) / number * (len(left) - number) / 60
            print(f"shard {shard.seed}: {describe(done)}, about {more:.0f} min left", flush=True)
    finally:
        pool.shutdown(cancel_futures=True)
    return True


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.prove", description=__doc__)
    parser.add_argument("--examples", type=int, default=100_000, help="runs of the machine, in all")
    parser.add_argument("--size", type=int, default=500, help="runs in one shard")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="shards side by side")
    parser.add_argument(
        "--folder", type=Path, default=ROOT / "build" / "prove", help="what is done"
    )
    parser.add_argument("--only", type=int, help="run this shard alone, in this process")
    parser.add_argument("--store", choices=["sqlite", "postgres"], default="sqlite")
    names = [leak.__name__ for leak in LEAKS]
    parser.add_argument("--plant", choices=names, help="a leak, to see it found")
    return parser


@contextmanager
def store_factory(store: str) -> Iterator[StoreFactory]:
    """A server of its own, for a proof on Postgres."""
    if store == "sqlite":
        yield on_sqlite
        return
    from tests.interference.postgres_factories import on_postgres
    from tests.support.postgres_server import PostgresServer

    with closing(PostgresServer()) as server, on_postgres(server) as found:
        yield found


def run_shard(seed: int, examples: int, leak: str | None, stores: StoreFactory) -> int:
    """The numbers of runs and comparisons; a difference raises, and Hypothesis shows the steps.

    A leak that was planted is known, so that its steps need not be made few.
    """
    with small_limits(), pytest.MonkeyPatch.context() as patch:
        for plant in LEAKS:
            if plant.__name__ == leak:
                plant(patch)
        phases = (Phase.generate,) if leak else (Phase.generate, Phase.shrink)
        prove(seed, examples, steps=STEPS, phases=phases, store_factory=stores)
    print(json.dumps({"runs": counts["runs"], "comparisons": counts["comparisons"]}))
    return 0


def run_in_process(seed: int, asked: argparse.Namespace, code: str) -> Shard | None:
    """In a separate process. None: a difference was found, and is stored in the folder."""
    command = [
        sys.executable,
        "-m",
        "benchmarks.prove",
        "--only",
        str(seed),
        "--size",
        str(asked.size),
    ]
    command += ["--store", asked.store]
    if asked.plant:
        command += ["--plant", asked.plant]
    began = time.monotonic()
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        file = asked.folder / f"failed-{seed}.txt"
        file.write_text(f"{' '.join(command)}\n\n{done.stdout}\n{done.stderr}", encoding="utf-8")
        print(f"shard {seed} found a difference, or broke: {file}", flush=True)
        return None
    found = json.loads(done.stdout.splitlines()[-1])
    took = round(time.monotonic() - began, 1)
    return Shard(code, seed, found["runs"], found["comparisons"], took)


def stored_shards(folder: Path) -> list[Shard]:
    """A line that was cut off when the machine stopped is left out."""
    file = folder / "shards.jsonl"
    found: list[Shard] = []
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
        try:
            found.append(Shard(**json.loads(line)))
        except (TypeError, ValueError):
            continue
    return found


def describe(done: dict[int, Shard]) -> str:
    runs = sum(shard.runs for shard in done.values())
    comparisons = sum(shard.comparisons for shard in done.values())
    return f"{runs:,} examples, {comparisons:,} comparisons"


def fingerprint(planted: str | None, store: str) -> str:
    """Of the code and of the libraries that decide what is drawn and what is computed."""
    libraries = [f"{name} {version(name)}" for name in ("hypothesis", "numpy")]
    whole = hashlib.sha256(" ".join([sys.version, *libraries, f"{planted}", store]).encode())
    for folder in CODE:
        for file in sorted([ROOT / folder, *(ROOT / folder).rglob("*")]):
            if file.suffix in {".py", ".sql", ".yaml"}:
                whole.update(f"\n{file.relative_to(ROOT)}\n".encode() + file.read_bytes())
    return whole.hexdigest()


def commit() -> str:
    git = shutil.which("git")
    if git is None:
        return "no commit known"
    command = [git, "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return f"commit {found.stdout.strip() or 'unknown'}"


if __name__ == "__main__":
    sys.exit(main())
