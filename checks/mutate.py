"""Plants faults in a copy of the code, one at a time: the tests that are named for it must fail.

    python -m checks.mutate [--only TEXT] [--workers N] [--timeout SECONDS] [--verbose]

The faults are in mutations.toml. It ends with an error unless every fault is caught, and also where
a fault cannot be planted, or where a named test fails without one.
"""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

ROOT = Path(__file__).parent.parent
FAULTS = Path(__file__).with_name("mutations.toml")
COPIES = ROOT / "build" / "mutate"
COPIED = ("src", "tests", "checks", "benchmarks", "examples", "docs", "pyproject.toml", "README.md")
PYTEST = (sys.executable, "-m", "pytest", "-q", "--tb=no", "-p", "no:cacheprovider")
BASELINE_SECONDS = 1800
# What fails like this does so whatever the tests compare.
_NO_FAULT = re.compile(
    r"^(?:SyntaxError|IndentationError|NameError|UnboundLocalError|ImportError|ModuleNotFoundError)"
    r"|no such (?:table|column|function)|syntax error|Undefined(?:Column|Table|Function)"
)
CAUGHT, SURVIVED, TIMED_OUT, BROKEN = "caught", "SURVIVED", "TIMED OUT", "BROKEN"


@dataclass(frozen=True, slots=True)
class Fault:
    """`original` occurs once in `file`; of `tests`, one at least fails with the replacement.

    `also` are replacements in other files, `(file, original, replacement)`, without which a check
    of the code's own would find the first.
    """

    file: str
    original: str
    replacement: str
    tests: tuple[str, ...]
    reason: str
    also: tuple[tuple[str, str, str], ...] = ()

    @property
    def places(self) -> tuple[tuple[str, str, str], ...]:
        return ((self.file, self.original, self.replacement), *self.also)


@dataclass(frozen=True, slots=True)
class Outcome:
    """`detail` is the test that failed, or the end of what pytest printed."""

    verdict: str
    detail: str


def read_faults(path: Path = FAULTS) -> tuple[Fault, ...]:
    rows = tomllib.loads(path.read_text(encoding="utf-8"))["fault"]
    return tuple(
        Fault(**{**row, "tests": tuple(row["tests"]), "also": (*map(tuple, row.get("also", ())),)})
        for row in rows
    )


def find_problems(faults: Sequence[Fault], root: Path = ROOT) -> Iterator[str]:
    """Faults that cannot be planted, or that are there twice."""
    seen = Counter(fault.places for fault in faults)
    for fault in faults:
        for file, original, replacement in fault.places:
            place = root / file
            text = place.read_text(encoding="utf-8") if place.is_file() else ""
            times = text.count(original) if original else 0
            if times != 1:
                yield f"{file}: found {times} times, not once: {original!r}"
            if original == replacement:
                yield f"{file}: changes nothing: {original!r}"
        if not fault.tests or not fault.reason.strip():
            yield f"{fault.file}: names no test or no reason: {fault.original!r}"
        if seen[fault.places] > 1:
            yield f"{fault.file}: there twice: {fault.original!r}"


def copy_tree(folder: Path, root: Path = ROOT) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in COPIED:
        source = root / name
        if source.is_dir():
            unneeded = shutil.ignore_patterns("__pycache__", "build")
            shutil.copytree(source, folder / name, ignore=unneeded)
        elif source.exists():
            shutil.copy2(source, folder / name)


@contextmanager
def planted(fault: Fault, folder: Path) -> Iterator[None]:
    """Without bytecode of the file: a fault of equal length could be taken for the original."""
    before = {file: (folder / file).read_text(encoding="utf-8") for file, _, _ in fault.places}
    for file, original, replacement in fault.places:
        place = folder / file
        for bytecode in place.parent.glob(f"__pycache__/{place.stem}.*"):
            bytecode.unlink()
        text = place.read_text(encoding="utf-8")
        place.write_text(text.replace(original, replacement), encoding="utf-8")
    try:
        yield
    finally:
        for file, text in before.items():
            (folder / file).write_text(text, encoding="utf-8")


def run_tests(
    folder: Path, tests: Sequence[str], seconds: float, *options: str, keep_bytecode: bool = False
) -> Outcome:
    """With the code of this folder. An error outside of a test proves nothing of the test."""
    environment = {**os.environ, "PYTHONPATH": str(folder / "src"), "COLUMNS": "1000"}
    if not keep_bytecode:
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
    process = subprocess.Popen(
        [*PYTEST, *options, *tests],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        printed, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return Outcome(TIMED_OUT, f"after {seconds:g} s")
    return read_outcome(process.returncode, printed)


def read_outcome(status: int, printed: str) -> Outcome:
    lines = printed.strip().splitlines()
    failed = [line for line in lines if line.startswith("FAILED ")]
    if status == 0:
        return Outcome(SURVIVED, lines[-1] if lines else "")
    if status == 1 and failed:
        test, _, error = failed[0].removeprefix("FAILED ").partition(" - ")
        return Outcome(BROKEN if _NO_FAULT.search(error) else CAUGHT, f"{test}: {error}")
    return Outcome(BROKEN, " | ".join(lines[-3:]))


def check_baseline(faults: Sequence[Fault], folder: Path) -> Outcome:
    """All named tests without a fault; what is compiled here is not compiled again for each."""
    tests = sorted({test for fault in faults for test in fault.tests})
    return run_tests(folder, tests, BASELINE_SECONDS, keep_bytecode=True)


def run_faults(
    faults: Sequence[Fault], folders: Sequence[Path], seconds: float
) -> Iterator[tuple[Fault, Outcome]]:
    """In the order given; as many at once as there are folders."""
    free: SimpleQueue[Path] = SimpleQueue()
    for folder in folders:
        free.put(folder)

    def run(fault: Fault) -> Outcome:
        folder = free.get()
        try:
            with planted(fault, folder):
                return run_tests(folder, fault.tests, seconds, "-x")
        finally:
            free.put(folder)

    with ThreadPoolExecutor(len(folders)) as pool:
        yield from zip(faults, pool.map(run, faults), strict=True)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m checks.mutate")
    parser.add_argument("--only", default="", help="faults whose file or reason contains this")
    parser.add_argument("--workers", type=int, default=2, help="test processes side by side")
    parser.add_argument("--timeout", type=float, default=180, help="seconds for one fault")
    parser.add_argument("--verbose", action="store_true", help="which test failed, and how")
    given = parser.parse_args(arguments)
    every = read_faults()
    if problems := [*find_problems(every)]:
        print(*problems, sep="\n")
        return 1
    faults = [fault for fault in every if given.only in f"{fault.file} {fault.reason}"]
    if not faults:
        parser.error(f"no fault's file or reason contains {given.only!r}")
    folders = [COPIES / str(number) for number in range(1, given.workers + 1)]
    copy_tree(folders[0])
    baseline = check_baseline(faults, folders[0])
    if baseline.verdict != SURVIVED:
        print(f"without a fault, the tests do not pass: {baseline.verdict} {baseline.detail}")
        return 1
    for folder in folders[1:]:  # with the bytecode
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(folders[0], folder)
    verdicts: Counter[str] = Counter()
    for fault, outcome in run_faults(faults, folders, given.timeout):
        verdicts[outcome.verdict] += 1
        print(f"{outcome.verdict:9} {fault.file}: {fault.reason}", flush=True)
        if outcome.verdict != CAUGHT:
            print(f"          {fault.original!r} -> {fault.replacement!r}")
        if outcome.verdict != CAUGHT or given.verbose:
            print(f"          {outcome.detail}", flush=True)
    print(f"{verdicts[CAUGHT]} caught / {len(faults)} planted")
    return 0 if verdicts[CAUGHT] == len(faults) else 1


if __name__ == "__main__":
    sys.exit(main())
