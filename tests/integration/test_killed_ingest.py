"""Killed at any moment, an ingest leaves the old snapshot whole, and the next one finishes."""

import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from docgraph.interfaces.auth.principals import local
from docgraph.pipeline.load import load
from docgraph.pipeline.request import QuestionRequest
from tests.support.killable_ingest import engine_on, ingest, pool_of
from tests.support.postgres_server import PostgresServer

Stores = Callable[[str], str]
LOCKS = """
    SELECT count(*) FROM pg_locks AS l JOIN pg_database AS d ON d.oid = l.database
    WHERE l.locktype = 'advisory' AND d.datname = current_database()
"""
KILLS, THOROUGH = 6, 20
FILES = 100  # more than a batch
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

    def killed(self, folder: Path, store: str, after: float) -> bool:
        """Whether the ingest was still at work after so many seconds, and was killed."""
        return self._ended(folder, store, after)[0] == signal.SIGKILL

    def seconds(self, folder: Path, store: str) -> float:
        """How long an ingest takes that nobody disturbs."""
        how, took = self._ended(folder, store, after=60)
        assert how == 0
        return took

    def _ended(self, folder: Path, store: str, after: float) -> tuple[int, float]:
        print(folder, store, after, file=self._say, flush=True)
        how, took = self._hear.readline().split()
        return int(how), float(took)


@pytest.fixture
def nursery() -> Iterator[Nursery]:
    command = [sys.executable, "-m", "tests.support.killable_ingest"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        yield Nursery(process)


@pytest.fixture(params=["sqlite", "postgres"])
def stores(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stores]:
    """A new store for every name: a file, or the address of a database."""
    if request.param == "sqlite":
        yield lambda name: str(tmp_path / f"{name}.db")
        return
    server: PostgresServer = request.getfixturevalue("postgres")
    made: list[str] = []

    def fresh(_: str) -> str:
        made.append(server.fresh_database())
        return made[-1]

    yield fresh
    for address in made:
        pool_of(address).close()
        server.drop(address)


def wait_until_idle(store: str) -> None:
    """The killed process' locks end once the server has noticed."""
    until = time.monotonic() + 60
    while "://" in store:
        with pool_of(store).connection() as connection:
            if connection.execute(LOCKS).fetchone() == (0,):
                return
        assert time.monotonic() < until, "the locks of a killed ingest are still there"
        time.sleep(0.01)


def answers(store: str) -> tuple[str, str]:
    engine = engine_on(store)
    asked = engine.questions.retrieve(
        QuestionRequest(local(), load("documents"), "Which trains stop at Station 30?")
    )
    return engine.content.content_digest(local()), asked.context.text


@pytest.mark.requirement(9)
def test_repeatedly_killed_ingests_lose_nothing(
    tmp_path: Path, nursery: Nursery, stores: Stores, thorough: bool
) -> None:
    """Twenty times in a row in `make check`."""
    trees = [grow(tmp_path / str(version), version) for version in (0, 1)]
    expected = []
    for version, tree in enumerate(trees):
        undisturbed = stores(f"undisturbed-{version}")
        ingest(tree, undisturbed)
        expected.append(answers(undisturbed))
    store = stores("killed")
    ingest(trees[0], store)
    chance = random.Random(3)
    whole = 1.2 * nursery.seconds(trees[1], store)  # some finish, so that kills fall everywhere
    held, kills = 1, 0
    while kills < (THOROUGH if thorough else KILLS):
        kills += nursery.killed(trees[1 - held], store, after=chance.random() * whole)
        wait_until_idle(store)
        assert engine_on(store).content.store.verify().problems == ()
        found = answers(store)
        assert found in (expected[held], expected[1 - held])
        held = expected.index(found)  # it may have been done just before
    for tree, result in ((trees[1 - held], expected[1 - held]), (trees[held], expected[held])):
        ingest(tree, store)
        assert answers(store) == result
        assert engine_on(store).content.store.verify().problems == ()
