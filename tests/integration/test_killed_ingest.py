"""Killed at any moment, an ingest leaves the old snapshot whole, and the next one finishes."""

import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from docgraph.doors.login import local
from docgraph.pipeline.load import load
from tests.support.kill_me import engine_on, ingest

KILLS = 20
FILES = 140
ROOT = Path(__file__).parents[2]


def grow(folder: Path, version: int) -> Path:
    """Two versions of a tree that names itself all over; some files are only in one of them."""
    for number in range(FILES):
        if number % 7 == version:
            continue
        text = f"# Station {number}\n\nNext is Station {(number * 7) % FILES}"
        text += f" and [that](s{(number + 1) % FILES}.md), version {version % (1 + number % 3)}.\n"
        text += f"\n## Trains\n\nThe Lake Express stops at Platform {number % 40}.\n" * 4
        place = folder / f"s{number}.md"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return folder


class Nursery:
    """Starts ingests in processes that may be killed."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._say, self._hear = process.stdin, process.stdout

    def killed(self, folder: Path, store: Path, after: float) -> bool:
        """Whether the ingest was still at work after so many seconds, and was killed."""
        print(folder, store, after, file=self._say, flush=True)
        return int(self._hear.readline()) == signal.SIGKILL


@pytest.fixture
def nursery() -> Iterator[Nursery]:
    command = [sys.executable, "-m", "tests.support.kill_me"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        yield Nursery(process)


def answers(store: Path) -> tuple[str, str]:
    engine = engine_on(store)
    asked = engine.retrieve(local(), "Which trains stop at Station 30?", load("documents"))
    return engine.content_digest(local()), asked.context.text


@pytest.mark.requirement(9)
def test_killed_twenty_times_in_a_row_nothing_is_lost(tmp_path: Path, nursery: Nursery) -> None:
    trees = [grow(tmp_path / str(version), version) for version in (0, 1)]
    wanted = []
    for version, tree in enumerate(trees):
        ingest(tree, tmp_path / f"undisturbed-{version}.db")
        wanted.append(answers(tmp_path / f"undisturbed-{version}.db"))
    store = tmp_path / "killed.db"
    ingest(trees[0], store)
    chance = random.Random(3)
    whole = 0.05  # grows until an ingest can finish, so that kills fall everywhere
    while nursery.killed(trees[1], tmp_path / f"timed-{whole}.db", whole):
        whole *= 1.5
    held = kills = 0
    while kills < KILLS:
        kills += nursery.killed(trees[1 - held], store, after=chance.random() * whole)
        assert engine_on(store).store.verify().problems == ()
        found = answers(store)
        assert found in (wanted[held], wanted[1 - held])
        held = wanted.index(found)  # it may have been done just before
    for tree, expected in ((trees[1 - held], wanted[1 - held]), (trees[held], wanted[held])):
        ingest(tree, store)
        assert answers(store) == expected
        assert engine_on(store).store.verify().problems == ()
